"""The program in a browser tab: the simulation and the same screen, in WebAssembly, on a terminal that is a page."""
