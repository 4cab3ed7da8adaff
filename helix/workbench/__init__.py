"""What a team works with beside its memories."""
