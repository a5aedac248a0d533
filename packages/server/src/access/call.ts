/** The context of a call, and the type of a handler. */
import type {
  MarketError,
  OperationAnswer,
  OperationArguments,
  OperationName,
  OperationOf,
  OperationSpec,
  Operations,
} from '@market/contract';
import type { Db, Tx } from '../platform/db/database.ts';
import type { SpooledFile } from '../platform/storage/spool.ts';
import type { Logger } from '../platform/telemetry/logger.ts';
import type { Caller } from './caller.ts';

/** A file that came with the request. Its name and type are its sender's claims. */
export interface ReceivedFile extends SpooledFile {
  readonly fileName: string;
  /** Empty when none was declared. */
  readonly declaredType: string;
  /** Removes the file, unless a handler has taken it over. */
  discard(): Promise<void>;
}

export interface CommitOptions {
  /** The handler returns a fresher answer, which replaces the stored one. After a crash between the two, a repeat gets the stored one. */
  readonly provisional?: boolean;
}

/** The Idempotency-Key of a call, in its scope. */
export interface KeyedCall {
  /** Scope and key: a repeat by the same caller has the same name. */
  readonly name: string;
  /** Nobody else can send the key: the caller has credentials, or the key cannot be guessed. */
  readonly isPrivate: boolean;
}

export interface Call {
  readonly caller: Caller;
  readonly clientAddress: string;
  /** Resolves the same credentials again, for calls that wait. Throws when they no longer allow the call. */
  recheck(): Promise<Caller>;
  /** Aborts when the caller no longer waits for the answer. */
  readonly gone: AbortSignal;
  readonly log: Logger;
  /**
   * The most that this call may pay within its spend policies; undefined: no limit. For payments outside of `commit`; `commit` checks it
   * itself.
   */
  readonly maxMicros: bigint | undefined;
  /** For effects outside of `commit`; `commit` stores the answer together with the effect. */
  readonly keyed: KeyedCall | undefined;
  /**
   * Runs the command's transaction. Its result is the operation's answer and is stored, under the request's
   * Idempotency-Key if it has one, in that same transaction.
   */
  commit<A extends { readonly data: unknown }>(work: (tx: Tx) => Promise<A>, options?: CommitOptions): Promise<A>;
  /**
   * Stores a refusal in place of a provisional answer, and returns it for the handler to throw. The key keeps what the call already
   * requested: a repeat requests nothing new and gets the refusal again.
   */
  keepRefusal(refusal: MarketError): Promise<MarketError>;
  /** Throws unless the wallet just signed this very action; spends the signature in `tx`. */
  requireCustodySignature(tx: Db, wallet: string): Promise<void>;
  /** Ignored by transports without cookies. */
  setCookie(name: string, value: string, maxAgeSeconds: number): void;
  /** Ignored by transports without headers. Only successful answers carry it; replays by Idempotency-Key do not. */
  setHeader(name: string, value: string): void;
  /** Runs after a successful answer was sent: not after a refusal, and not if the caller hung up first. */
  afterAnswer(work: () => Promise<void>): void;
  readonly sessionCookie: string | undefined;
  /** The identity-provider token of this request, from any carrier. */
  readonly accountToken: string | undefined;
  /** The uploaded file, if the operation takes one. It is removed after the call. */
  readonly file: ReceivedFile | undefined;
}

export type Handler<S extends OperationSpec> = (input: OperationArguments<S>, call: Call) => Promise<OperationAnswer<S>>;

/** The type that makes a feature serve every operation of a group. Streams are served by their surface. */
export type HandlersOf<G extends keyof Operations> = {
  readonly [M in keyof Operations[G] as Operations[G][M] extends { readonly output: { readonly stream: true } }
    ? never
    : M]: Operations[G][M] extends OperationSpec ? Handler<Operations[G][M]> : never;
};

export type Handlers = { readonly [G in keyof Operations]: HandlersOf<G> };

/** A second handler for each operation that also accepts x402 payments. The definition says when it answers. */
export type PaidHandlers = {
  readonly [N in OperationName as OperationOf<N> extends { readonly alsoPaid: object } ? N : never]: Handler<OperationOf<N>>;
};
