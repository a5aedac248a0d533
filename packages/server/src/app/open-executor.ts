/** The executor through which every transport of this process calls operations. */

import type { NamedOperation } from '@market/contract';
import { createKnownWallets } from '../access/authority/known-wallets.ts';
import { createSeenSignatures } from '../access/authority/seen-signatures.ts';
import { createPassCheck } from '../access/sandbox-pass.ts';
import { createSpendGuard } from '../features/spending/index.ts';
import { namePayer } from '../features/x402/index.ts';
import { createIdempotentAnswers } from '../platform/idempotency/idempotent-answers.ts';
import { createRateLimiter } from '../platform/limits/rate-limiter.ts';
import { VERSIONS } from '../platform/versions/data-versions.ts';
import { createCallCounter } from '../surfaces/count-calls.ts';
import { createExecutor, type Executor } from '../surfaces/execute-operation.ts';
import { requireHandlers } from '../surfaces/require-handlers.ts';
import type { AppOptions } from './app-options.ts';
import { createHandlers, createPaidHandlers } from './create-handlers.ts';
import type { Parts } from './open-parts.ts';
import { createSubjectGuard } from './subject-guard.ts';

export interface ExecutorWishes {
  readonly served: readonly NamedOperation[];
  /** The pass of the sandbox demo, which lifts its rate limits. */
  readonly pass: string | undefined;
}

export function openExecutor({ config, addresses }: AppOptions, parts: Parts, { served, pass }: ExecutorWishes): Executor {
  const { shared, metrics, resolver, uploads, orders, actionMessages } = parts;
  const { database, clock, secrets } = shared;
  const handlers = createHandlers(parts);
  const paidHandlers = createPaidHandlers(parts);
  requireHandlers(served, handlers, paidHandlers);
  const { rateLimitScale, ipv6SiteTimes: siteTimes } = config.network;
  const limiter = createRateLimiter(database.pool, rateLimitScale, { alongside: VERSIONS, siteTimes });
  return createExecutor({
    handlers,
    paidHandlers,
    calls: createCallCounter({ limiter, clock, metrics, holdsPass: createPassCheck(pass) }),
    resolver,
    knownWallets: createKnownWallets({ db: database.db }),
    seenSignatures: createSeenSignatures({ db: database.db, clock }),
    addressedSignatures: parts.addressedSignatures,
    actionMessages,
    host: new URL(addresses.baseUrl).host,
    idempotentAnswers: createIdempotentAnswers(database.db, secrets),
    database,
    clock,
    spool: uploads.spool,
    isPrivateLink: orders.isPrivateLink,
    guardSubject: createSubjectGuard(database.db),
    spendGuard: createSpendGuard(parts.spending),
    namePayer: (input) => namePayer(parts.x402, input),
    checkAnswers: config.profile === 'sandbox',
  });
}
