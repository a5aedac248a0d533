/** One call of an operation as transports pass it to the executor, and the executor's result. Independent of HTTP. */
import type { MarketError, NamedOperation } from '@market/contract';
import type { Call, ReceivedFile } from '../access/call.ts';
import type { Caller } from '../access/caller.ts';
import type { Credentials } from '../access/credentials.ts';
import type { StoredAnswer } from '../platform/idempotency/idempotent-answers.ts';
import type { Logger } from '../platform/telemetry/logger.ts';
import type { Arguments } from './argument-parts.ts';
import type { CountedCall } from './count-calls.ts';

/** Credentials as a transport read them. Without `request`, a signature is checked against the operation's REST binding. */
export type ShownCredentials = Omit<Credentials, 'request'> & Partial<Pick<Credentials, 'request'>>;

export interface OperationRequest {
  readonly operation: NamedOperation;
  /** All arguments in one flat object, by their names in the contract. A file is a `Blob` under its field. */
  readonly args: Arguments;
  readonly credentials: ShownCredentials;
  /** The caller, if the transport has already resolved these credentials. */
  readonly resolved?: Caller | undefined;
  readonly log: Logger;
  readonly idempotencyKey?: string | undefined;
  /** The budget session of a call that pays. */
  readonly budgetSession?: string | undefined;
  /** The count, if the transport counted before reading the arguments; otherwise the executor counts. */
  readonly counted?: CountedCall | undefined;
  /** Fields that the transport got but that are no arguments. Refused like unknown arguments, after the caller was checked. */
  readonly unknownFields?: readonly string[];
  /** The error to refuse with if the transport could not read the arguments, after the caller was checked. */
  readonly argumentsError?: MarketError | undefined;
  /** The request does not choose among several operations; `operation` is one of them. */
  readonly isOperationUnknown?: boolean;
  /** Receives the file of a transport that streams it, after the caller was admitted. */
  readonly receiveFile?: (() => Promise<ReceivedFile>) | undefined;
  /** Refuses callers that this transport cannot allow (for example by a cookie sent from another site). */
  readonly checkCaller?: (caller: Caller) => void;
  /** Runs after caller and arguments were accepted, before any effect. */
  readonly onAccepted?: () => void;
  /** Aborts when the caller no longer waits. Only operations that wait use it. */
  readonly gone?: () => AbortSignal;
  /** Sets headers and cookies of the answer on this transport. Without it they are dropped. */
  readonly responseMetadata?: Pick<Call, 'setCookie' | 'setHeader'>;
}

export interface OperationResult {
  /** `{ data, …extras }`, as the contract describes it. */
  readonly answer: StoredAnswer;
  /** True if the answer was stored earlier under the same Idempotency-Key. */
  readonly replayed: boolean;
  /** Work for the transport to run after it sent the answer. */
  readonly afterAnswer: readonly (() => Promise<void>)[];
}
