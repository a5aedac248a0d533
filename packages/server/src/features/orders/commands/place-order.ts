/** A buyer places an order. The terms are copied from the service: later edits of it change nothing agreed. */
import { checkRequirementAnswers, feeOf, firstStatus, MarketError, type OperationArguments, type Operations } from '@market/contract';
import type { HandlersOf } from '../../../access/call.ts';
import { type Caller, principalOf, provenWallets } from '../../../access/caller.ts';
import { newId } from '../../../platform/random.ts';
import { canonicalWallet } from '../../../platform/wallets/wallet-address.ts';
import { ensureUser } from '../../identity/index.ts';
import { findService, isHireable, type ServiceRow } from '../../services/index.ts';
import { beginOrder, type NewOrder } from '../lifecycle/take-step.ts';
import type { OrdersContext } from '../orders-context.ts';
import { presentNewOrder } from '../present/present-order.ts';
import { areSamePeople } from '../repository.ts';

type Placed = OperationArguments<Operations['orders']['place']>;

export function placeOrder(context: OrdersContext): HandlersOf<'orders'>['place'] {
  return async (input, call) => {
    const { caller } = call;
    const buyer = buyerOf(caller, input);
    const now = context.clock.now();
    const id = newId('ord', now);

    return await call.commit(
      async (tx) => {
        // The first read of the transaction, so that both share a round trip.
        const service = await findService(tx, input.service_id);
        if (service?.active !== true) throw new MarketError('service_not_found');
        if (!isHireable(service)) throw new MarketError('agent_not_hireable');
        requireAnswers(context, service, input.requirement_answers);
        const status = firstStatus(service.priceType);
        const price = status === 'quoted' ? { priceMicros: service.priceMicros, feeMicros: feeOf(service.priceMicros) } : {};
        if (caller.user !== undefined) await ensureUser(tx, caller.user.identity, now, context.serviceName);
        const images = await context.files.attach(tx, input.reference_images, { by: caller, subjectId: id });
        if (images.includes(null)) throw new MarketError('foreign_reference_image');
        const order = await beginOrder(
          tx,
          context,
          {
            id,
            serviceId: service.id,
            providerAgentId: service.agentId,
            ...buyer,
            relatedParty: isRelated(caller, service),
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
            ...price,
            ...(status === 'quoted' && { quotedAt: now }),
          },
          {
            command: 'place',
            actor: { role: 'buyer', name: principalOf(caller, call.clientAddress) },
            events: [
              {
                type: 'order.created',
                data: {
                  service_id: service.id,
                  brief: input.brief,
                  // These links open without credentials for an hour. The order view issues fresh ones.
                  ...(images.length > 0 && { reference_images: input.reference_images.map((url) => context.files.openable(url)) }),
                  ...(input.requirement_answers !== undefined && { requirement_answers: input.requirement_answers }),
                  status,
                  service_title: service.title,
                },
              },
            ],
          },
        );
        return { data: await presentNewOrder(context, order, 'buyer'), x402: null, read_token: null, status_url: null, poll_hint: null };
      },
      { joins: true },
    );
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
  const proven = provenWallets(caller);
  const wallet = wanted === undefined ? caller.wallet?.address : canonicalWallet(wanted)?.address;
  if (wallet !== undefined && !proven.includes(wallet)) {
    throw new MarketError('wallet_mismatch', { message: 'client_wallet must be a wallet you signed with or linked to your account.' });
  }
  return {
    clientAgentId: caller.agent?.id ?? null,
    userId: caller.user?.id ?? null,
    clientWallet: wallet ?? null,
  };
}

/** The same people on both sides: by key, by account, by wallet, or by wallets linked to one account. */
function isRelated(caller: Caller, service: ServiceRow): NewOrder['relatedParty'] {
  const { agent, user } = caller;
  if (agent?.id === service.agentId) return true;
  const buyer = { accounts: [user?.id, agent?.ownerUserId], wallets: [...provenWallets(caller), agent?.recordedOwnerWallet] };
  return areSamePeople(buyer, { accounts: [service.agentOwnerUserId], wallets: [service.agentOwnerWallet] });
}
