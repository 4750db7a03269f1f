"""What the tests of metadata filters share: a naive oracle, generated inputs, two ways to evaluate."""
