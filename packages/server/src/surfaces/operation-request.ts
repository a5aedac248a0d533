/** One call of one operation, as any transport hands it to the executor, and what the executor gives back. Nothing here knows HTTP. */
import type { MarketError, NamedOperation } from '@market/contract';
import type { Call, ReceivedFile } from '../access/call.ts';
import type { Caller } from '../access/caller.ts';
import type { Credentials } from '../access/credentials.ts';
import type { StoredAnswer } from '../platform/idempotency/idempotent-answers.ts';
import type { Logger } from '../platform/telemetry/logger.ts';
import type { Arguments } from './argument-parts.ts';
import type { CountedCall } from './count-calls.ts';

/** As a transport read them. Without `request` a signature is held against the operation's REST binding. */
export type ShownCredentials = Omit<Credentials, 'request'> & Partial<Pick<Credentials, 'request'>>;

export interface OperationRequest {
  readonly operation: NamedOperation;
  /** All arguments in one flat object, by their names in the contract. A file is a `Blob` under its field. */
  readonly args: Arguments;
  readonly credentials: ShownCredentials;
  /** The caller, where the transport has resolved these very credentials before. */
  readonly resolved?: Caller | undefined;
  readonly log: Logger;
  readonly idempotencyKey?: string | undefined;
  /** The budget session that a paying call names. */
  readonly budgetSession?: string | undefined;
  /** The count of a transport that counts before it reads the arguments. The executor counts where there is none. */
  readonly counted?: CountedCall | undefined;
  /** Fields the transport was given that no argument is called. Refused, like unknown arguments, after the caller was judged. */
  readonly unknownFields?: readonly string[];
  /** Why the transport has no arguments to judge. Refused with this after the caller was judged. */
  readonly argumentsError?: MarketError | undefined;
  /** The request does not say which of several operations it means; `operation` is any of them. */
  readonly isOperationUnknown?: boolean;
  /** Receives the file of a transport that streams it, once the caller may send one. */
  readonly receiveFile?: (() => Promise<ReceivedFile>) | undefined;
  /** Refuses what this transport cannot allow this caller (for example a cookie sent by another site). */
  readonly checkCaller?: (caller: Caller) => void;
  /** Runs when the caller may make this call and its arguments are right, before anything is done. */
  readonly onAccepted?: () => void;
  /** Cancellation: aborts when the caller no longer waits. Only operations that wait use it. */
  readonly gone?: () => AbortSignal;
  /** Where this transport puts headers and cookies of an answer. Without it they are dropped. */
  readonly responseMetadata?: Pick<Call, 'setCookie' | 'setHeader'>;
}

export interface OperationResult {
  /** `{ data, …extras }`, as the contract describes it. */
  readonly answer: StoredAnswer;
  /** It was given before under the same Idempotency-Key. */
  readonly replayed: boolean;
  /** For the transport to run when the answer has left. */
  readonly afterAnswer: readonly (() => Promise<void>)[];
}
