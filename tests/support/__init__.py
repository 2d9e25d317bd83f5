"""Real servers, faults, killable processes and the verifier: what tests plug in where others would mock."""
