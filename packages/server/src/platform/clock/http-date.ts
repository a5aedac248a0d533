/** Real time as HTTP spells it, formatted once a second. */
let date = '';
let dateUntilMs = 0;

export function httpDate(): string {
  const now = Date.now();
  // The second condition covers a clock that was set back.
  if (now >= dateUntilMs || now < dateUntilMs - 1000) {
    date = new Date(now).toUTCString();
    dateUntilMs = now - (now % 1000) + 1000;
  }
  return date;
}
