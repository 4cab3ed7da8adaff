"""REST: the verbs of the memory service as HTTP routes. Plain functions do the work; FastAPI only carries it."""
