// The memory stick: a folder of the host copied into the core's file system before the run, and what has changed
// copied back after it. Faults of the stick are played on the core's file operations.
import fs from 'node:fs';
import path from 'node:path';

const STICK_ROOT = '/home/web_user/retroarch/userdata/saves/PPSSPP'; // what the core shows as ms0:
// The core creates folders of its own there; they are none of the program's.
const CORE_FOLDERS = ['PSP/SAVEDATA', 'PSP/SYSTEM', 'PSP/PPSSPP_STATE', 'PSP/Cheats', 'PSP/TEXTURES', 'PSP/PLUGINS'];
const ERRNO_IO = 29; // as the core's C library numbers it: EIO
const ERRNO_NO_SPACE = 51; // ENOSPC
const ERRNO_READ_ONLY = 69; // EROFS
const WRITE_FLAGS = 0o3 | 0o100 | 0o1000; // O_WRONLY or O_RDWR, O_CREAT, O_TRUNC

/** All files below `folder`, as paths relative to it with "/" between the parts. */
export function listFiles(folder, prefix = '') {
  return fs.readdirSync(path.join(folder, prefix), { withFileTypes: true }).flatMap((entry) => {
    const relative = prefix === '' ? entry.name : `${prefix}/${entry.name}`;
    return entry.isDirectory() ? listFiles(folder, relative) : [relative];
  });
}

/** Writes a file of the core's file system, making its folders. */
export function putFile(coreFiles, target, bytes) {
  const parts = target.split('/').slice(1, -1);
  for (let depth = 1; depth <= parts.length; ++depth) {
    const folder = `/${parts.slice(0, depth).join('/')}`;
    if (!coreFiles.analyzePath(folder).exists) coreFiles.mkdir(folder);
  }
  coreFiles.writeFile(target, bytes);
}

export class MemoryStick {
  #files;
  #given = new Map();
  #room = Infinity;
  #readOnly = false;
  #readFaults = [];

  constructor(coreFiles) {
    this.#files = coreFiles;
    this.#hookFaults();
  }

  /** Copies the folder's files onto the stick. */
  load(folder) {
    for (const file of listFiles(folder)) {
      const bytes = fs.readFileSync(path.join(folder, file));
      putFile(this.#files, this.corePath(file), bytes);
      this.#given.set(file, bytes);
    }
  }

  corePath(file) {
    return `${STICK_ROOT}/${file}`;
  }

  /** The file's bytes, or null. */
  read(file) {
    try {
      return Buffer.from(this.#files.readFile(this.corePath(file)));
    } catch {
      return null;
    }
  }

  /** Bytes `from` to the end of a file; empty when it is shorter or not there. */
  readFrom(file, from) {
    const node = this.#files.analyzePath(this.corePath(file)).object;
    if (!node || !node.contents || node.usedBytes <= from) return Buffer.alloc(0);
    return Buffer.from(node.contents.subarray(from, node.usedBytes));
  }

  /** Copies every new or changed file to `folder`; returns their names and those of removed ones. */
  collect(folder) {
    const found = new Set();
    const changed = [];
    for (const file of this.#walk('')) {
      found.add(file);
      const bytes = this.read(file);
      if (bytes === null || this.#given.get(file)?.equals(bytes)) continue;
      changed.push(file);
      const target = path.join(folder, file);
      fs.mkdirSync(path.dirname(target), { recursive: true });
      fs.writeFileSync(target, bytes);
    }
    return { changed: changed.sort(), removed: [...this.#given.keys()].filter((file) => !found.has(file)).sort() };
  }

  /** Bytes that may still be written, and whether anything may be written at all. */
  setCondition({ room, readOnly }) {
    this.#room = room;
    this.#readOnly = readOnly;
  }

  /** From now on, reads of `path` that reach `offset` fail ("error") or come up short there ("end"). */
  addReadFault({ path: file, offset, fault }) {
    this.#readFaults.push({ corePath: this.corePath(file), offset, fault });
  }

  *#walk(prefix) {
    const folder = this.corePath(prefix);
    for (const name of this.#files.readdir(folder)) {
      if (name === '.' || name === '..') continue;
      const file = prefix === '' ? name : `${prefix}/${name}`;
      if (CORE_FOLDERS.includes(file)) continue;
      if (this.#files.isDir(this.#files.stat(this.corePath(file)).mode)) yield* this.#walk(file);
      else yield file;
    }
  }

  #isOnStick(node) {
    return this.#files.getPath(node).startsWith(`${STICK_ROOT}/`);
  }

  #refuse(errno) {
    throw new this.#files.ErrnoError(errno);
  }

  #hookFaults() {
    const files = this.#files;
    const original = { open: files.open, write: files.write, read: files.read, rename: files.rename,
      unlink: files.unlink, mkdir: files.mkdir };
    const refuseChange = (file) => {
      if (this.#readOnly && typeof file === 'string' && file.startsWith(STICK_ROOT)) this.#refuse(ERRNO_READ_ONLY);
    };
    files.open = (file, flags = 0, ...rest) => {
      if (typeof flags === 'number' && (flags & WRITE_FLAGS) !== 0) refuseChange(file);
      return original.open.call(files, file, flags, ...rest);
    };
    for (const name of ['rename', 'unlink', 'mkdir']) {
      files[name] = (file, ...rest) => {
        refuseChange(file);
        return original[name].call(files, file, ...rest);
      };
    }
    files.write = (stream, buffer, offset, length, ...rest) => {
      if (this.#room !== Infinity && this.#isOnStick(stream.node)) {
        if (length > this.#room) this.#refuse(ERRNO_NO_SPACE);
        this.#room -= length;
      }
      return original.write.call(files, stream, buffer, offset, length, ...rest);
    };
    files.read = (stream, buffer, offset, length, position) =>
      original.read.call(files, stream, buffer, offset, this.#allowedLength(stream, length, position), position);
  }

  /** How much of a read may succeed; throws where an error is due. */
  #allowedLength(stream, length, position) {
    if (this.#readFaults.length === 0) return length;
    const name = this.#files.getPath(stream.node);
    const begin = position ?? stream.position;
    for (const { corePath, offset, fault } of this.#readFaults) {
      if (name !== corePath || begin + length <= offset) continue;
      if (fault === 'error') this.#refuse(ERRNO_IO);
      return Math.max(0, offset - begin);
    }
    return length;
  }
}
