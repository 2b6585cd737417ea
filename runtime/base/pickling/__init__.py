"""What goes through `pickle`: how functions are found again, and how their source travels."""
