"""What works on finished graphs and programs: saving, summaries, profiles, TensorFlow 1's style."""
