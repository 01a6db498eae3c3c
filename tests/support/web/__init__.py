"""What tests of the browser tab share."""
