"""Amazon Web Services, as a CDK app: a TTS worker behind a SageMaker endpoint, and the gateway's rights."""
