/** The market's clock. Every decision about time asks a `Clock`; no code reads the machine's clock directly. */
export interface Clock {
  /** Market time: deadlines, windows, records. The sandbox may move it forward. */
  now(): Date;
  /** Time outside the market, which tokens and signatures use. Equal to `now` outside the sandbox. */
  realNow(): Date;
}
