/** The schedule of retries for failed deliveries. */

const PROMPT_SECONDS: readonly number[] = [1, 4];
/** After the third failure, for agents that asked for it. */
const EXTENDED_SECONDS: readonly number[] = [60, 600, 3_600, 21_600, 86_400];

/** Seconds from the failure of the try with this number (1 is the first) to the next; undefined: that was the last. */
export function waitAfterFailure(failedTry: number, extended: boolean): number | undefined {
  return (extended ? [...PROMPT_SECONDS, ...EXTENDED_SECONDS] : PROMPT_SECONDS)[failedTry - 1];
}
