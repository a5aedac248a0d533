/** A buyer places an order. The terms are copied from the service: later edits of it change nothing agreed. */
import { checkRequirementAnswers, feeOf, firstStatus, MarketError, type OperationArguments, type Operations } from '@market/contract';
import type { Call, HandlersOf } from '../../../access/call.ts';
import { actingWallet, type Caller, principalOf, walletsOf } from '../../../access/caller.ts';
import type { Tx } from '../../../platform/db/database.ts';
import { newId } from '../../../platform/random.ts';
import { canonicalWallet } from '../../../platform/wallets/wallet-address.ts';
import { ensureUser } from '../../accounts/identity/index.ts';
import { findServiceForBuyer, isHireable, type ServiceRow } from '../../services/index.ts';
import { sidesOf } from '../lifecycle/order-sides.ts';
import { beginOrder, type FirstStep } from '../lifecycle/take-step.ts';
import type { OrdersContext } from '../orders-context.ts';
import { presentNewOrder } from '../present/present-order.ts';
import type { OrderRow } from '../repository.ts';

type Placed = OperationArguments<Operations['orders']['place']>;

export function placeOrder(context: OrdersContext): HandlersOf<'orders'>['place'] {
  return async (input, call) => {
    const service = await findServiceForBuyer(context.database.db, { id: input.service_id, ...identitiesOf(call.caller) });
    if (service?.active !== true) throw new MarketError('service_not_found');
    if (!isHireable(service)) throw new MarketError('agent_not_hireable');
    requireAnswers(context, service, input.requirement_answers);
    return await call.commit(async (tx) => {
      const order = await place(tx, context, call, input, service);
      return { data: await presentNewOrder(context, order, 'buyer'), ...withoutPayment };
    });
  };
}

/** Only a hire that came with its payment has a receipt and tokens. */
const withoutPayment = {
  x402: null,
  read_token: null,
  buyer_token: null,
  token_expires_at: null,
  status_url: null,
  poll_hint: null,
} as const;

type Service = ServiceRow & { readonly isBuyersOwn: boolean };

async function place(tx: Tx, context: OrdersContext, call: Call, input: Placed, service: Service): Promise<OrderRow> {
  const { caller } = call;
  const buyer = buyerOf(caller, input);
  const status = firstStatus(service.priceType);
  const now = context.clock.now();
  const id = newId('ord', now);
  if (caller.user !== undefined) await ensureUser(tx, caller.user.identity, now);
  const images = await context.files.attach(tx, input.reference_images, { by: caller, subjectId: id });
  if (images.includes(null)) throw new MarketError('foreign_reference_image');
  const begun = {
    id,
    serviceId: service.id,
    providerAgentId: service.agentId,
    ...buyer,
    serviceTitle: service.title,
    category: service.category,
    priceType: service.priceType,
    turnaroundHours: service.turnaroundHours,
    maxRevisions: service.maxRevisions,
    quotaTotal: service.quotaLimit,
    brief: input.brief,
    referenceUrls: input.reference_urls,
    referenceImages: input.reference_images,
    requirementAnswers: input.requirement_answers === undefined ? null : JSON.stringify(input.requirement_answers),
    allowPortfolio: input.allow_portfolio,
    status,
    ...(status === 'quoted' && { priceMicros: service.priceMicros, feeMicros: feeOf(service.priceMicros), quotedAt: now }),
    createdAt: now,
    updatedAt: now,
  };
  const sides = await sidesOf(tx, begun, { caller, service });
  return await beginOrder(tx, context, { begun, sides }, firstStep(context, call, input, service, status));
}

function firstStep({ files }: OrdersContext, call: Call, input: Placed, service: ServiceRow, status: OrderRow['status']): FirstStep {
  const { reference_images: images, requirement_answers: answers } = input;
  return {
    command: 'place',
    actor: { role: 'buyer', name: principalOf(call.caller, call.clientAddress) },
    events: [
      {
        type: 'order.created',
        data: {
          service_id: service.id,
          brief: input.brief,
          // These links open without credentials for an hour. The order view issues fresh ones.
          ...(images.length > 0 && { reference_images: images.map((url) => files.openable(url)) }),
          ...(answers !== undefined && { requirement_answers: answers }),
          status,
          service_title: service.title,
        },
      },
    ],
  };
}

function requireAnswers({ isPrivateLink }: OrdersContext, service: ServiceRow, answers: Placed['requirement_answers']): void {
  const problems = checkRequirementAnswers(service.requirementFields ?? [], answers ?? {}, isPrivateLink);
  if (problems.length === 0) return;
  throw new MarketError('invalid_requirement_answers', {
    message: problems.map(({ message }) => message).join(' '),
    data: { problems: problems.map(({ label, message }) => ({ label, message })) },
  });
}

/** An agent's key buys as that agent; a person by account, wallet, or both. */
function buyerOf(caller: Caller, { client_wallet: wanted }: Placed) {
  const proven = walletsOf(caller);
  const wallet = wanted === undefined ? actingWallet(caller)?.address : canonicalWallet(wanted)?.address;
  if (wallet !== undefined && !proven.includes(wallet)) {
    throw new MarketError('wallet_mismatch', { message: 'client_wallet must be a wallet you signed with or linked to your account.' });
  }
  return {
    clientAgentId: caller.agent?.id ?? null,
    userId: caller.user?.id ?? null,
    clientWallet: wallet ?? null,
  };
}

/** Accounts and wallets of the buyer, to find out whether they own the provider. */
function identitiesOf(caller: Caller): { readonly accounts: readonly string[]; readonly wallets: readonly string[] } {
  const { agent, user } = caller;
  const known = (values: readonly (string | null | undefined)[]) => values.filter((value) => value !== null && value !== undefined);
  return { accounts: known([user?.id, agent?.ownerUserId]), wallets: known([...walletsOf(caller), agent?.recordedOwnerWallet]) };
}
