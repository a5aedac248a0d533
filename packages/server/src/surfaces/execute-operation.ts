/**
 * Executes one call of one operation for any transport: rate limit, authentication, access, arguments, stored answer, handler. Surfaces
 * only add their protocol.
 */
import { isPaidCall, isPayingCall, MarketError, type NamedOperation } from '@market/contract';
import type { ActionMessages } from '../access/authority/action-messages.ts';
import type { AddressedSignatures } from '../access/authority/addressed-signatures.ts';
import type { KnownWallets } from '../access/authority/known-wallets.ts';
import { requirePower } from '../access/authority/require-power.ts';
import { requireWalletProof } from '../access/authority/require-wallet-proof.ts';
import { isNoted, type SeenSignatures } from '../access/authority/seen-signatures.ts';
import { claimProof, isSingleUse, spendProof } from '../access/authority/single-use.ts';
import { strongerProofFor } from '../access/authority/stronger-proof.ts';
import type { Call, Handlers, KeyedCall, PaidHandlers, ReceivedFile } from '../access/call.ts';
import { type Caller, isSomebody } from '../access/caller.ts';
import type { Credentials } from '../access/credentials.ts';
import { refuseBanned } from '../access/refuse-banned.ts';
import { custodySignatureRefusal, refuseSignatureInQuery, requireAccess, withoutReadToken } from '../access/require-access.ts';
import { requireScope } from '../access/require-scope.ts';
import { accountTokenOf, type CallerResolver } from '../access/resolve-caller.ts';
import { SESSION_COOKIE, SESSION_SECONDS } from '../access/sessions.ts';
import { SIGN_IN_MAX_AGE_MS } from '../access/sign-in-challenge.ts';
import type { SpendCharge, SpendGuard } from '../access/spend-guard.ts';
import { withNodePatience } from '../platform/chains/node-patience.ts';
import type { Clock } from '../platform/clock/clock.ts';
import { type Database, isClosedAgent } from '../platform/db/database.ts';
import type { IdempotencyLease, IdempotentAnswers, StoredAnswer } from '../platform/idempotency/idempotent-answers.ts';
import type { Spool } from '../platform/storage/spool.ts';
import type { Arguments } from './argument-parts.ts';
import { assertAnswer } from './assert-answer.ts';
import type { CallCounter } from './count-calls.ts';
import { onlyInserts } from './joined-operations.ts';
import { beginKeyed, scopedKeyOf } from './keyed-call.ts';
import type { OperationRequest, OperationResult } from './operation-request.ts';
import { readArguments } from './read-arguments.ts';
import { receiveFileArgument } from './receive-file.ts';
import { refuseHostileText } from './refuse-hostile-text.ts';
import { type IsPrivateLink, refusePrivateLinks } from './refuse-private-links.ts';
import { requestHashes } from './request-hash.ts';
import { restBindingOf } from './rest-binding.ts';

/** Throws when the caller may not use the record that the arguments name. `isChosen` is false if the request names no single operation. */
export type SubjectGuard = (operation: NamedOperation, args: Arguments, caller: Caller, isChosen: boolean) => Promise<void>;

export interface ExecutorOptions {
  readonly handlers: Handlers;
  readonly paidHandlers: PaidHandlers;
  readonly calls: CallCounter;
  readonly resolver: CallerResolver;
  readonly seenSignatures: SeenSignatures;
  readonly addressedSignatures: AddressedSignatures;
  readonly knownWallets: KnownWallets;
  readonly actionMessages: ActionMessages;
  /** The host that custody signatures name. */
  readonly host: string;
  readonly idempotentAnswers: IdempotentAnswers;
  readonly database: Database;
  readonly clock: Clock;
  /** Temporary storage for files until they are checked. */
  readonly spool: Spool;
  readonly isPrivateLink: IsPrivateLink;
  /** Called before a malformed request, or one with a weak wallet proof, is refused. */
  readonly guardSubject: SubjectGuard;
  /** Called before the handler of a call that pays. */
  readonly spendGuard: SpendGuard;
  /** Names the payer of an anonymous call by its payment arguments, because many callers share one client address. */
  readonly namePayer: (input: Arguments) => string | undefined;
  /** For development and tests: an answer that breaks its own schema is our bug and fails the call. */
  readonly checkAnswers: boolean;
}

export interface Executor {
  /** For transports that count a call before they read its arguments. */
  readonly calls: CallCounter;
  execute(request: OperationRequest): Promise<OperationResult>;
  /** Checks a call like `execute` but runs no handler: for streams, which their surface serves. */
  open(request: OperationRequest): Promise<OpenedCall>;
}

export interface OpenedCall {
  readonly caller: Caller;
  /** Resolves the same credentials again. Throws when they would no longer open the call. Counts nothing. */
  readonly recheck: () => Promise<Caller>;
  /** The arguments, validated, with defaults filled in. */
  readonly input: unknown;
}

/** A call whose caller has access, with all its data. */
interface Admitted extends OpenedCall {
  readonly request: OperationRequest;
  readonly credentials: Credentials;
  readonly file: ReceivedFile | undefined;
}

/** The parts of a request that identify its caller. Rechecks of an open stream have no arguments. */
type CallerRequest = Pick<OperationRequest, 'resolved' | 'responseMetadata' | 'checkCaller' | 'isOperationUnknown'> & {
  readonly args?: Arguments;
};

type AnyHandler = (input: unknown, call: Call) => Promise<StoredAnswer>;
type FollowUps = (() => Promise<void>)[];

/** Idempotency lease and spend reservation of a call. Both are settled in the transaction of its effect. */
interface Holds {
  readonly lease: IdempotencyLease | undefined;
  readonly keyed: KeyedCall | undefined;
  readonly charge: SpendCharge | undefined;
}

const noMetadata = { setCookie: () => undefined, setHeader: () => undefined };
const neverGone = new AbortController().signal;

export function createExecutor(options: ExecutorOptions): Executor {
  const { database, clock, calls, resolver } = options;

  return {
    calls,
    execute: (request) => withNodePatience(() => execute(request)),
    async open(request) {
      const { caller, input, recheck } = await admit(request);
      refuseRetiredKey(caller);
      return { caller, input, recheck };
    },
  };

  function recheckOf(operation: NamedOperation, credentials: Credentials, first: Caller): () => Promise<Caller> {
    const { signIn, ...lasting } = credentials;
    const endsAt = clock.realNow().getTime() + SIGN_IN_MAX_AGE_MS - (first.wallet?.signatureAgeMs ?? 0);
    return async () => {
      // The first call used up the sign-in message, so its wallet stays proven for the validity of the message.
      if (signIn !== undefined && clock.realNow().getTime() > endsAt) throw new MarketError('signature_expired');
      const kept =
        signIn === undefined ? undefined : { ...(await resolver.resolve(lasting)), ...(first.wallet && { wallet: first.wallet }) };
      const caller = await requireCaller(operation, lasting, { resolved: kept });
      refuseRetiredKey(caller);
      return caller;
    };
  }

  async function execute(request: OperationRequest): Promise<OperationResult> {
    const admitted = await admit(request);
    const file = request.receiveFile
      ? await request.receiveFile()
      : await receiveFileArgument(request.operation, request.args, options.spool);
    try {
      return await runOnce({ ...admitted, file });
    } finally {
      await file?.discard();
    }
  }

  async function admit(request: OperationRequest): Promise<Omit<Admitted, 'file'>> {
    const { operation, args } = request;
    await count(request);
    const { request: signedRequest = restBindingOf(operation, args), ...shown } = request.credentials;
    const credentials: Credentials = { ...shown, request: signedRequest };
    const caller = await requireCaller(operation, credentials, request);
    await noteSignature(request, caller);
    const input = await readAdmittedInput(request, caller);
    request.onAccepted?.();
    return { request, credentials, caller, input, recheck: recheckOf(operation, credentials, caller) };
  }

  /** Resolves the caller. Throws unless the table of authority gives this caller the power of this call. */
  async function requireCaller(operation: NamedOperation, credentials: Credentials, request: CallerRequest): Promise<Caller> {
    const { spec } = operation;
    const { resolved, args = {}, responseMetadata = noMetadata, isOperationUnknown } = request;
    refuseSignatureInQuery(spec, credentials);
    const shown = withoutReadToken(spec, resolved ?? (await resolver.resolve(credentials)));
    // Skip the ban check for anonymous reads.
    if (spec.effects.kind !== 'read' || isSomebody(shown)) await refuseBanned(database.db, shown, credentials.clientAddress);
    if (shown.renewedSession !== undefined) responseMetadata.setCookie(SESSION_COOKIE, shown.renewedSession, SESSION_SECONDS);
    requireScope(spec, shown);
    requireAccess(spec, shown);
    request.checkCaller?.(shown);
    const strongerProof = strongerProofFor(options, credentials);
    try {
      const caller = await requireWalletProof(shown, {
        operation,
        args,
        credentials,
        strongerProof,
        addressed: options.addressedSignatures,
      });
      requirePower(operation, caller);
      return caller;
    } catch (error) {
      // A stranger to the record is refused as such: a stronger signature would not help.
      await options.guardSubject(operation, args, shown, isOperationUnknown !== true);
      throw error;
    }
  }

  /** Throws when another call has shown the signature and this call needs its own. */
  async function noteSignature({ operation, args }: OperationRequest, { wallet, walletElsewhere }: Caller): Promise<void> {
    const signer = wallet ?? walletElsewhere;
    if (signer === undefined) return;
    await options.knownWallets.note(signer);
    if (!isNoted(signer)) return;
    const [hash] = requestHashes(operation, args, undefined);
    const first = await options.seenSignatures.note(signer, hash);
    if (isSingleUse(signer) && !first.equals(hash)) throw new MarketError('signature_already_used');
  }

  async function count({ operation, credentials, counted }: OperationRequest): Promise<void> {
    if (counted === undefined && operation.spec.limit === undefined) return;
    calls.use(counted ?? (await calls.count(operation, credentials)), operation, credentials);
  }

  async function readAdmittedInput(request: OperationRequest, caller: Caller): Promise<unknown> {
    const { operation, args, unknownFields, argumentsError, isOperationUnknown } = request;
    try {
      if (argumentsError !== undefined) throw argumentsError;
      refuseHostileText(args);
      const input = readArguments(operation, args, unknownFields);
      refusePrivateLinks(operation, input, options.isPrivateLink);
      return input;
    } catch (error) {
      await options.guardSubject(operation, args, caller, isOperationUnknown !== true);
      throw error;
    }
  }

  async function runOnce(admitted: Admitted): Promise<OperationResult> {
    const { caller, request, input } = admitted;
    const key = scopedKeyOf(request, { caller, input, payer: options.namePayer });
    if (key !== undefined) await calls.countKeyed(request.operation, request.credentials);
    const begun = key && (await beginKeyed(options.idempotentAnswers, request, admitted, key));
    if (begun?.kind === 'replay') return { answer: begun.answer, replayed: true, afterAnswer: [] };
    const lease = begun?.lease;
    const keyed = key && { name: `${key.scope} ${key.key}`, isPrivate: key.isPrivate };
    try {
      refuseRetiredKey(caller);
      const giveBack = await claimProof(database, clock, caller);
      const afterAnswer: FollowUps = [];
      try {
        return { answer: await runCharged(admitted, { lease, keyed }, afterAnswer), replayed: false, afterAnswer };
      } catch (error) {
        await giveBack();
        throw error;
      }
    } catch (error) {
      await lease?.release();
      throw error;
    }
  }

  /** Reserves the amount of a call that pays, within its spend policies, before the handler runs. */
  async function runCharged(admitted: Admitted, holds: Omit<Holds, 'charge'>, afterAnswer: FollowUps): Promise<StoredAnswer> {
    const charge = await beginSpending(admitted);
    try {
      const answer = await run(admitted, { ...holds, charge }, afterAnswer);
      await charge?.settle();
      return answer;
    } catch (error) {
      await charge?.settle(error);
      throw error;
    }
  }

  async function beginSpending({ request, caller, input, file }: Admitted): Promise<SpendCharge | undefined> {
    const { operation, args, idempotencyKey, budgetSession } = request;
    if (!isPayingCall(operation.spec, input as Arguments, isSomebody(caller))) return undefined;
    const [hash] = requestHashes(operation, args, file);
    return await options.spendGuard.begin({ operation, input, caller, hash, idempotencyKey, budgetSession });
  }

  async function run(admitted: Admitted, { lease, keyed, charge }: Holds, afterAnswer: FollowUps): Promise<StoredAnswer> {
    const { request, credentials, caller, input, file, recheck } = admitted;
    const { operation, responseMetadata = noMetadata } = request;
    let committed: StoredAnswer | undefined;
    const isPaid = isPaidCall(operation.spec, input as Arguments, isSomebody(caller));
    const mayJoin = !isPaid && onlyInserts(operation, input, caller);
    const call: Call = {
      caller,
      clientAddress: credentials.clientAddress,
      get gone() {
        return request.gone?.() ?? neverGone;
      },
      log: request.log,
      recheck,
      maxMicros: charge?.maxMicros,
      keyed,
      sessionCookie: credentials.sessionCookie,
      accountToken: accountTokenOf(credentials),
      setCookie: responseMetadata.setCookie,
      setHeader: responseMetadata.setHeader,
      afterAnswer: (work) => void afterAnswer.push(work),
      file,
      async commit(work, { provisional = false } = {}) {
        const transact = mayJoin ? database.joinTransaction : database.transaction;
        const answer = await transact(async (tx) => {
          const made = await work(tx);
          checkAnswer(operation, made);
          await lease?.keep(tx, made);
          await charge?.keep(tx, made);
          return made;
        }).catch((error: unknown) => {
          throw isClosedAgent(error) ? new MarketError('agent_closed') : error;
        });
        // Set after the commit: an answer whose transaction failed must not be sent.
        if (!provisional) committed = answer;
        return answer;
      },
      async keepRefusal(refusal) {
        await lease?.keepRefusal(refusal);
        return refusal;
      },
      async requireCustodySignature(tx, wallet) {
        const signer = caller.wallet?.proof === 'custody' && caller.wallet.address === wallet ? caller.wallet : undefined;
        if (signer === undefined) throw await custodySignatureRefusal(credentials, { host: options.host, now: clock.realNow(), wallet });
        await spendProof(tx, clock, signer);
      },
    };
    const answer = await handlerOf(operation, isPaid)(input, call);
    if (committed !== undefined) return committed;
    checkAnswer(operation, answer);
    await lease?.keepLate(answer);
    return answer;
  }

  /** For operations that x402 may also pay, the definition decides when the second handler answers. */
  function handlerOf({ name, group, method }: NamedOperation, isPaid: boolean): AnyHandler {
    const handlers: Readonly<Record<string, unknown>> = isPaid ? options.paidHandlers : options.handlers[group];
    return handlers[isPaid ? name : method] as AnyHandler;
  }

  function checkAnswer(operation: NamedOperation, answer: StoredAnswer): void {
    if (options.checkAnswers) assertAnswer(operation, answer);
  }
}

/** A replaced key may only fetch an answer that is already stored. */
function refuseRetiredKey({ agent }: Caller): void {
  if (agent?.keyRetired === true) throw new MarketError('invalid_api_key');
}
