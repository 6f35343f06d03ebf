"""What a site offers to be asked about, and who may see it."""
