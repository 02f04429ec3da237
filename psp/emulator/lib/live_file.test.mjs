import assert from 'node:assert/strict';
import test from 'node:test';
import { LiveFile } from './live_file.mjs';

test('each new piece is shown once', () => {
  let content = '';
  const shown = [];
  const live = new LiveFile((from) => Buffer.from(content).subarray(from), (bytes) => shown.push(bytes.toString()));
  live.poll();
  content = 'Once';
  live.poll();
  live.poll();
  content = 'Once upon';
  live.poll();
  assert.deepEqual(shown, ['Once', ' upon']);
});
