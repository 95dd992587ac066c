"""The web console: people play the same episodes as agents, with every reward explained."""
