"""The tabs of the console, one module each: `LABEL` and `build(page)`."""
