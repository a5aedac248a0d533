/** Whether an error is a refusal with one of these codes. */
import { type ErrorCode, MarketError } from '@market/contract';

export function isRefusal(error: unknown, ...codes: readonly ErrorCode[]): error is MarketError {
  return error instanceof MarketError && codes.includes(error.code);
}
