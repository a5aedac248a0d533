// Loaded into a server before its own code: moves the clock of the process by CLOCK_SHIFT_MS, at once or on SIGUSR2.
// The monotonic timer does not move, as on a machine whose wall clock jumps.
const RealDate = Date;
const shift = Number(process.env.CLOCK_SHIFT_MS ?? 0);
let current = process.env.CLOCK_SHIFT_ON_SIGNAL === 'yes' ? 0 : shift;
process.on('SIGUSR2', () => {
  current = shift;
  tell();
});

globalThis.Date = class ShiftedDate extends RealDate {
  constructor(...parts) {
    if (parts.length === 0) super(RealDate.now() + current);
    else super(...parts);
  }
  static now() {
    return RealDate.now() + current;
  }
};

function tell() {
  process.stderr.write(`the clock of the process reads ${Date.now()}\n`);
}
tell();
