"""What a new plugin may begin with: words for its persona, a sample tree, and questions that it has to refuse."""
