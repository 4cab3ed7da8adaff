"""The doctor: finds what is wrong with a vault and everything around it, explains it, and mends what is safe.

An area is a module with its kinds of findings and its checks: plain functions over `Examined`. `registry` lists the
areas in the order in which they are told, `examine` runs them, `fix` mends.
"""
