/**
 * One request against one operation, whatever the transport: who calls, may they, is the input right, was it answered
 * before, run it. Surfaces add only their protocol around this.
 */
import { createHash } from 'node:crypto';
import { canonicalJson, keepsAnswers, MarketError, type NamedOperation } from '@market/contract';
import type { z } from 'zod';
import type { Call, Handlers, ReceivedFile } from '../access/call.ts';
import { type Caller, isSomebody, principalOf } from '../access/caller.ts';
import { type Credentials, credentialFields } from '../access/credentials.ts';
import { spendSignature } from '../access/credentials-repository.ts';
import { SHORT_MAX_AGE_MS } from '../access/read-signature.ts';
import { refuseBanned } from '../access/refuse-banned.ts';
import {
  custodySignatureRefusal,
  refuseSignatureInQuery,
  requireAccess,
  requireFreshSignature,
  withoutReadToken,
} from '../access/require-access.ts';
import { accountTokenOf, type CallerResolver } from '../access/resolve-caller.ts';
import { SESSION_COOKIE, SESSION_SECONDS } from '../access/sessions.ts';
import { withNodePatience } from '../platform/chains/node-patience.ts';
import type { Clock } from '../platform/clock/clock.ts';
import type { Database, Db } from '../platform/db/database.ts';
import type { Begun, IdempotencyLease, IdempotentAnswers, StoredAnswer } from '../platform/idempotency/idempotent-answers.ts';
import type { Logger } from '../platform/telemetry/logger.ts';
import { type RequestParts, readInput } from './read-input.ts';
import { type IsPrivateLink, refusePrivateLinks } from './refuse-private-links.ts';
import { isUnguessable, withholdSecrets } from './withhold-secrets.ts';

/** Throws when the caller may not touch what the path names. `isChosen` is false where the request does not say which operation it means. */
export type SubjectGuard = (operation: NamedOperation, path: unknown, caller: Caller, isChosen: boolean) => Promise<void>;

export interface ExecutorOptions {
  readonly handlers: Handlers;
  readonly resolver: CallerResolver;
  readonly idempotentAnswers: IdempotentAnswers;
  readonly database: Database;
  readonly clock: Clock;
  readonly isPrivateLink: IsPrivateLink;
  /** Asked before a malformed request is refused. */
  readonly guardSubject: SubjectGuard;
  /** Development and tests: an answer that breaks its own schema is a bug of ours and must not pass unseen. */
  readonly checkAnswers: boolean;
}

export interface OperationRequest {
  readonly credentials: Credentials;
  readonly clientAddress: string;
  /** Asked for only by operations that wait. */
  readonly gone: () => AbortSignal;
  readonly parts: RequestParts;
  /** Why it cannot be told which of several operations is meant. It is refused with this once the caller is known. */
  readonly unchosen?: MarketError;
  /** Where the operation takes a file: receives it, once it is known that the caller may send one. */
  readonly receiveFile?: () => Promise<ReceivedFile>;
  readonly idempotencyKey: string | undefined;
  readonly log: Logger;
  /** Refuses what this transport cannot allow this caller (for example a cookie sent by another site). */
  readonly guard: (caller: Caller) => void;
  readonly setCookie: Call['setCookie'];
  readonly setHeader: Call['setHeader'];
  readonly ignoredParameters: (names: readonly string[]) => void;
}

export interface OperationResponse extends StoredAnswer {
  readonly replayed: boolean;
  /** For the transport to run when the answer has left. */
  readonly afterAnswer: readonly (() => Promise<void>)[];
}

export type ExecuteOperation = (operation: NamedOperation, request: OperationRequest) => Promise<OperationResponse>;

/** A request of somebody who may make it, with everything it brought. */
interface Admitted {
  readonly operation: NamedOperation;
  readonly caller: Caller;
  readonly request: OperationRequest;
  readonly input: unknown;
  readonly file: ReceivedFile | undefined;
}

type AnyAnswer = { readonly data: unknown };
type AnyHandler = (input: unknown, call: Call) => Promise<AnyAnswer>;

export function createExecutor(options: ExecutorOptions): ExecuteOperation {
  const { database, clock, idempotentAnswers, resolver } = options;

  return (operation, request) => withNodePatience(() => execute(operation, request));

  async function execute(operation: NamedOperation, request: OperationRequest): Promise<OperationResponse> {
    const { spec } = operation;
    refuseSignatureInQuery(spec, request.credentials);
    const caller = withoutReadToken(spec, await resolver.resolve(request.credentials));
    // What anybody may read without a name needs no look at the ban list.
    if (spec.effects.kind !== 'read' || isSomebody(caller)) await refuseBanned(database.db, caller, request.clientAddress);
    if (caller.renewedSession !== undefined) request.setCookie(SESSION_COOKIE, caller.renewedSession, SESSION_SECONDS);
    requireAccess(spec.access, caller);
    request.guard(caller);
    await requireTier(operation, caller, request);
    const input = await readAdmittedInput(operation, caller, request);
    const file = await request.receiveFile?.();
    try {
      return await runOnce({ operation, caller, request, input, file });
    } finally {
      await file?.discard();
    }
  }

  async function readAdmittedInput(operation: NamedOperation, caller: Caller, request: OperationRequest): Promise<unknown> {
    try {
      if (request.unchosen !== undefined) throw request.unchosen;
      const input = readInput(operation, request.parts, request.ignoredParameters);
      refusePrivateLinks(operation, input, options.isPrivateLink);
      return input;
    } catch (error) {
      await options.guardSubject(operation, request.parts.path, caller, request.unchosen === undefined);
      throw error;
    }
  }

  async function runOnce(admitted: Admitted): Promise<OperationResponse> {
    const { caller, operation } = admitted;
    const { spec } = operation;
    const begun = await beginIdempotent(admitted);
    if (begun?.kind === 'replay') return { ...begun.answer, replayed: true, afterAnswer: [] };
    const lease = begun?.lease;
    try {
      if (caller.agent?.keyRetired === true) throw new MarketError('invalid_api_key');
      if (spec.access.tier !== undefined && spec.access.tier !== 'ordinary') await spend(database.db, caller);
      const afterAnswer: (() => Promise<void>)[] = [];
      return { ...(await run(admitted, lease, afterAnswer)), replayed: false, afterAnswer };
    } catch (error) {
      await lease?.release();
      throw error;
    }
  }

  async function run(
    { operation, caller, request, input, file }: Admitted,
    lease: IdempotencyLease | undefined,
    afterAnswer: (() => Promise<void>)[],
  ): Promise<StoredAnswer> {
    let committed: StoredAnswer | undefined;
    const call: Call = {
      caller,
      clientAddress: request.clientAddress,
      get gone() {
        return request.gone();
      },
      log: request.log,
      sessionCookie: request.credentials.sessionCookie,
      accountToken: accountTokenOf(request.credentials),
      setCookie: request.setCookie,
      setHeader: request.setHeader,
      afterAnswer: (work) => void afterAnswer.push(work),
      file,
      async commit(work) {
        const { answer, stored } = await database.transaction(async (tx) => {
          const made = await work(tx);
          const kept = toStoredAnswer(operation, made);
          await lease?.keep(tx, kept);
          return { answer: made, stored: kept };
        });
        // Only now: an answer whose transaction failed must not go out.
        committed = stored;
        return answer;
      },
      async requireCustodySignature(tx, wallet) {
        const signed = caller.wallet?.proof === 'custody' && caller.wallet.address === wallet;
        if (!signed) throw await custodySignatureRefusal(request.credentials, clock.realNow(), wallet);
        await spend(tx, caller);
      },
    };
    const answer = await handlerOf(operation)(input, call);
    if (committed !== undefined) return committed;
    const stored = toStoredAnswer(operation, answer);
    if (lease !== undefined) await database.transaction((tx) => lease.keep(tx, stored));
    return stored;
  }

  function handlerOf(operation: NamedOperation): AnyHandler {
    const group = options.handlers[operation.group] as Record<string, unknown>;
    return group[operation.method] as AnyHandler;
  }

  function toStoredAnswer(operation: NamedOperation, answer: AnyAnswer): StoredAnswer {
    if (options.checkAnswers) assertAnswer(operation, answer);
    return {
      status: operation.spec.rest.status ?? 200,
      body: JSON.stringify(operation.spec.output.bare === true ? answer.data : { success: true, ...answer }),
    };
  }

  async function requireTier(operation: NamedOperation, caller: Caller, request: OperationRequest): Promise<void> {
    const tier = operation.spec.access.tier ?? 'ordinary';
    if (tier === 'single_use') requireFreshSignature(caller, request.credentials);
    if (tier === 'custody' && caller.wallet !== undefined && caller.wallet.proof !== 'custody') {
      throw await custodySignatureRefusal(request.credentials, clock.realNow());
    }
  }

  async function spend(db: Db, caller: Caller): Promise<void> {
    const { wallet } = caller;
    if (wallet?.signatureDigest === undefined) return;
    // Remembered for longer than the signature itself can live, so that it cannot come back to life.
    const expiresAt = new Date(clock.realNow().getTime() + 2 * SHORT_MAX_AGE_MS);
    const first = await spendSignature(db, { digest: wallet.signatureDigest, wallet: wallet.address, expiresAt });
    if (!first) throw new MarketError('signature_already_used');
  }

  async function beginIdempotent({ operation, caller, request, file }: Admitted): Promise<Begun | undefined> {
    const key = request.idempotencyKey;
    if (key === undefined || operation.spec.effects.kind === 'read') return undefined;
    if (!/^[\x21-\x7e]{1,255}$/.test(key)) throw new MarketError('invalid_idempotency_key');
    if (!keepsAnswers(operation.spec)) return undefined;
    const scope = `${principalOf(caller, request.clientAddress)} ${operation.name}`;
    const begun = await idempotentAnswers.begin({ scope, key, hash: requestHash(operation, request.parts, file) });
    if (begun.kind === 'replay' || isSomebody(caller) || isUnguessable(key)) return begun;
    const { lease } = begun;
    return { kind: 'run', lease: { ...lease, keep: (tx, answer) => lease.keep(tx, withholdSecrets(answer)) } };
  }
}

/** Signature fields are left out: an honest retry may sign anew. */
function requestHash(operation: NamedOperation, parts: OperationRequest['parts'], file: ReceivedFile | undefined): Buffer {
  const withoutCredentials = (part: unknown): unknown =>
    part !== null && typeof part === 'object'
      ? Object.fromEntries(Object.entries(part).filter(([key]) => !(credentialFields as readonly string[]).includes(key)))
      : part;
  const content = [
    operation.name,
    parts.path,
    withoutCredentials(parts.query),
    withoutCredentials(parts.body),
    ...(file ? [file.sha256] : []),
  ];
  return createHash('sha256').update(canonicalJson(content)).digest();
}

function assertAnswer(operation: NamedOperation, answer: AnyAnswer): void {
  const { data, extras } = operation.spec.output;
  const { data: answered, ...rest } = answer;
  const problems = [data.safeParse(answered), extras?.strict().safeParse(rest)].flatMap((result) => result?.error?.issues ?? []);
  if (problems.length > 0) throw new Error(`the answer of ${operation.name} breaks its contract: ${describe(problems)}`);
}

function describe(issues: readonly z.core.$ZodIssue[]): string {
  return issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`).join('; ');
}
