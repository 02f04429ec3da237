// Plays a script's steps against a machine, a frame at a time, so that a run is the same whatever the host's speed.
import { pressesFor } from './keyboard_typing.mjs';
import { PAUSE_FRAMES, PRESS_FRAMES, TYPING_FRAMES } from './script_parser.mjs';

/** Longest wait of a step, in frames, unless `within` says otherwise: ten minutes on the console. */
export const DEFAULT_WAIT_FRAMES = 36_000;

export class StepFailed extends Error {}

/**
 * The machine that a script plays on:
 *   setButton(name, isDown), hasExited(), logLines() -> string[], readFile(path) -> string | null,
 *   startScreenshot(name), screenshotDone() -> boolean, setStick({room, readOnly}), addReadFault({path, offset, fault})
 */
export class ScriptRunner {
  #machine;
  #steps;
  #program = null;
  #confirm;

  constructor(steps, machine, { confirm = 'cross' } = {}) {
    this.#machine = machine;
    this.#steps = steps;
    this.#confirm = confirm;
    this.#program = this.#play();
  }

  /** Call once after each frame. True when the script has ended. Throws StepFailed when a step cannot be done. */
  tick() {
    return this.#program.next().done;
  }

  *#play() {
    const machine = this.#machine;
    let limit = DEFAULT_WAIT_FRAMES;
    let seenLines = 0;
    for (const step of this.#steps) {
      switch (step.kind) {
        case 'within':
          limit = step.frames;
          continue;
        case 'wait-log': {
          const next = () => {
            const lines = machine.logLines();
            while (seenLines < lines.length) if (lines[seenLines++].includes(step.text)) return true;
            return false;
          };
          yield* this.#waitFor(next, limit, step, `the log to say "${step.text}"`);
          break;
        }
        case 'wait-file': {
          const ready = () => {
            const content = machine.readFile(step.path);
            return content !== null && (step.text === null || content.includes(step.text));
          };
          const wish = step.text === null ? `${step.path} to be there` : `${step.path} to hold "${step.text}"`;
          yield* this.#waitFor(ready, limit, step, wish);
          break;
        }
        case 'wait-exit':
          yield* this.#waitFor(() => machine.hasExited(), limit, step, 'the program to leave');
          break;
        case 'frames':
          yield* this.#pass(step.count);
          break;
        case 'press':
          for (let i = 0; i < step.times; ++i) yield* this.#press(step.button, step.hold, PAUSE_FRAMES);
          break;
        case 'hold':
        case 'release':
          machine.setButton(step.button, step.kind === 'hold');
          yield;
          break;
        case 'type':
          for (const button of pressesFor(step.text, this.#confirm)) {
            yield* this.#press(button, TYPING_FRAMES, TYPING_FRAMES);
          }
          yield* this.#pass(PRESS_FRAMES);
          break;
        case 'screenshot':
          machine.startScreenshot(step.name);
          yield* this.#waitFor(() => machine.screenshotDone(), DEFAULT_WAIT_FRAMES, step, 'the screenshot');
          break;
        case 'stick':
          machine.setStick({ room: step.room, readOnly: step.readOnly });
          break;
        case 'read-fault':
          machine.addReadFault(step);
          break;
        default:
          throw new StepFailed(`Script, line ${step.line}: no way to play "${step.kind}".`);
      }
      limit = DEFAULT_WAIT_FRAMES;
    }
  }

  *#pass(frames) {
    for (let i = 0; i < frames; ++i) yield;
  }

  *#press(button, holdFrames, pauseFrames) {
    this.#machine.setButton(button, true);
    yield* this.#pass(holdFrames);
    this.#machine.setButton(button, false);
    yield* this.#pass(pauseFrames);
  }

  *#waitFor(condition, limit, step, wish) {
    for (let frame = 0; !condition(); ++frame) {
      if (frame >= limit) throw new StepFailed(`Script, line ${step.line}: waited ${limit} frames for ${wish}.`);
      if (step.kind !== 'wait-exit' && step.kind !== 'wait-file' && this.#machine.hasExited()) {
        throw new StepFailed(`Script, line ${step.line}: the program left while waiting for ${wish}.`);
      }
      yield;
    }
  }
}
