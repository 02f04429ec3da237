// Follows a file that the program writes, so that its text can be shown as it comes.

export class LiveFile {
  #shown = 0;
  #readFrom;
  #show;

  /** `readFrom(offset)` gives the file's bytes from there on; `show(bytes)` gets each new piece once. */
  constructor(readFrom, show) {
    this.#readFrom = readFrom;
    this.#show = show;
  }

  poll() {
    const bytes = this.#readFrom(this.#shown);
    if (bytes.length === 0) return;
    this.#shown += bytes.length;
    this.#show(bytes);
  }
}
