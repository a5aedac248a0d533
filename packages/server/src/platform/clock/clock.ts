/** Time as the market sees it. Everything that decides by time asks a `Clock`; nothing reads the machine's clock itself. */
export interface Clock {
  /** Market time: deadlines, windows, records. The sandbox may move it forward. */
  now(): Date;
  /** Time as the rest of the world has it, by which tokens and signatures are dated. Equal to `now` outside the sandbox. */
  realNow(): Date;
}
