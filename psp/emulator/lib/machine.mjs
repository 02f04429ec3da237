// The emulated console: PPSSPP's libretro core (WebAssembly with threads) under Node, without browser, GL or sound.
import fs from 'node:fs';
import path from 'node:path';
import { installBrowser } from './browser_stand_in.mjs';
import { LogJudge } from './log_judge.mjs';
import { listFiles, MemoryStick, putFile } from './memory_stick.mjs';
import { BUTTONS } from './script_parser.mjs';

const SCREEN = { width: 480, height: 272 };
const THREADS = 10; // the core asks for 32 at its start; it uses a few, and each costs time
const FRONTEND_CONFIG = '/home/web_user/.config/retroarch/retroarch.cfg';
const SCREENSHOT = '/screenshot.png';
const PNG_END = Buffer.from('IEND');

/** Settings of the core; any of them can be changed for a run. */
export const CORE_SETTINGS = {
  ppsspp_cpu_core: 'IR JIT',
  ppsspp_fast_memory: 'enabled',
  ppsspp_ignore_bad_memory_access: 'disabled', // or wild accesses go unseen
  ppsspp_cropto16x9: 'disabled',
  ppsspp_software_rendering: 'enabled',
  ppsspp_io_timing_method: 'Fast',
  ppsspp_psp_model: 'psp_2000_3000',
  ppsspp_enable_wlan: 'disabled',
  ppsspp_button_preference: 'Cross',
};

const FRONTEND_SETTINGS = {
  video_driver: 'null', audio_driver: 'null', audio_enable: 'false', menu_driver: 'null', video_vsync: 'false',
  audio_sync: 'false', system_directory: '/', screenshot_directory: '/', video_gpu_screenshot: 'false',
  log_verbosity: 'true', libretro_log_level: '0', pause_nonactive: 'false',
};

function asConfig(settings) {
  return Object.entries(settings).map(([key, value]) => `${key} = "${value}"\n`).join('');
}

/** The function that the core's script defines, with fewer threads and without seeing that it is in Node. */
function loadRuntime(scriptPath) {
  const source = fs.readFileSync(scriptPath, 'utf8');
  const reduced = source.replace('var pthreadPoolSize=32', `var pthreadPoolSize=${THREADS}`);
  return new Function('process', 'require', 'module', 'exports', `${reduced}\n;return EJS_Runtime;`)();
}

export class Machine {
  log = new LogJudge();
  frames = 0;
  stick = null;
  #module = null;
  #screenshot = null;
  #screenshotFolder;
  #onFrame;

  /** Boots the core. `core`: {script, wasm, assets}; `onFrame()` runs after each emulated frame. */
  static async boot({ core, settings = {}, screenshotFolder, onFrame, onLog = () => {} }) {
    const machine = new Machine();
    machine.#screenshotFolder = screenshotFolder;
    machine.#onFrame = onFrame;
    const log = (text) => {
      for (const line of String(text).split('\n')) {
        machine.log.add(line);
        onLog(line);
      }
    };
    const page = installBrowser({
      scriptPath: core.script, size: SCREEN, onFrame: () => machine.#afterFrame(),
      onThreadError: (error) => log(`thread error: ${error.stack ?? error}`),
    });
    const coreSettings = asConfig({ ...CORE_SETTINGS, ...settings });
    let files = null;
    machine.#module = await loadRuntime(core.script)({
      noInitialRun: true, arguments: [], preRun: [], postRun: [], canvas: page.canvas, parent: page.body,
      print: log, printErr: log, onAbort: (reason) => log(`ABORT ${reason}`), totalDependencies: 0,
      getSavExt: () => '.srm', wasmBinary: fs.readFileSync(core.wasm),
      locateFile: (file) => path.join(path.dirname(core.wasm), file),
      callbacks: { setupCoreSettingFile: (file) => putFile(files, file, coreSettings) },
    });
    files = machine.#module.FS;
    putFile(files, FRONTEND_CONFIG, asConfig(FRONTEND_SETTINGS));
    for (const file of listFiles(core.assets)) {
      putFile(files, `/PPSSPP/${file}`, fs.readFileSync(path.join(core.assets, file)));
    }
    machine.stick = new MemoryStick(files);
    return machine;
  }

  /** Starts the program at this path of the stick. */
  start(program) {
    this.#module.callMain(['-v', this.stick.corePath(program)]);
  }

  setButton(name, isDown) {
    this.#module._simulate_input(0, BUTTONS[name], isDown ? 1 : 0);
  }

  startScreenshot(name) {
    this.#screenshot = name;
    this.#module._cmd_take_screenshot();
  }

  /** Copies the picture out once the core has written all of it. */
  screenshotDone() {
    const files = this.#module.FS;
    if (!files.analyzePath(SCREENSHOT).exists) return false;
    const picture = Buffer.from(files.readFile(SCREENSHOT));
    if (!picture.subarray(-8).includes(PNG_END)) return false;
    fs.mkdirSync(this.#screenshotFolder, { recursive: true });
    fs.writeFileSync(path.join(this.#screenshotFolder, `${this.#screenshot}.png`), picture);
    files.unlink(SCREENSHOT);
    this.#screenshot = null;
    return true;
  }

  #afterFrame() {
    this.frames += 1;
    this.#onFrame();
  }
}
