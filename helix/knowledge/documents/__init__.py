"""Documents into notes: found in a folder, converted in a process of their own, cut into parts, written as memories."""
