import assert from 'node:assert/strict';
import test from 'node:test';
import { pressesFor } from './keyboard_typing.mjs';

test('the cursor starts on 1 and moves the short way round', () => {
  assert.deepEqual(pressesFor('1'), ['cross']);
  assert.deepEqual(pressesFor('2'), ['right', 'cross']);
  assert.deepEqual(pressesFor('+'), ['left', 'cross']);
  assert.deepEqual(pressesFor('q'), ['down', 'cross']);
  assert.deepEqual(pressesFor('q1', 'circle'), ['down', 'circle', 'up', 'circle']);
});

test('capitals change the layer once; spaces have a button of their own', () => {
  assert.deepEqual(pressesFor('QW w'), ['select', 'down', 'cross', 'right', 'cross', 'square', 'select', 'cross']);
});

test('a character without a key is refused', () => {
  assert.throws(() => pressesFor('é'), /no key for "é"/);
});
