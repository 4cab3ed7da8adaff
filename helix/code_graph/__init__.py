"""What code says of itself: files, symbols, imports, calls and tests, parsed with tree-sitter, of each source."""
