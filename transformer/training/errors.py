"""What can go wrong in training and is for the person at the keyboard to mend."""


class TrainingError(ValueError):
    """Data, a setting or a run that cannot be trained on; the message says what to do."""
