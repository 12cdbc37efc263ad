"""The names of the files that a run writes into its folder."""

RUN = "run.safetensors"
STEPS, EPOCHS, TENSORBOARD = "steps.csv", "epochs.csv", "tensorboard"
NETWORK, RESULT = "network.safetensors", "result.json"
NAMES = (RUN, STEPS, EPOCHS, NETWORK, RESULT)
