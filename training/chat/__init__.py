"""From a public chat model to the 90 M parameter model that ships: the stages before quantisation."""
