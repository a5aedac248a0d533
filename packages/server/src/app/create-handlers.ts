/** Every operation's handler, from the features that own them. */
import type { Handlers, HandlersOf, PaidHandlers } from '../access/call.ts';
import { closingHandlers } from '../features/accounts/closing/index.ts';
import { adoptAgent, connectionHandlers } from '../features/accounts/connections/index.ts';
import { ensureUser, identityHandlers } from '../features/accounts/identity/index.ts';
import { moveHandlers } from '../features/accounts/moves/index.ts';
import { profileHandlers } from '../features/accounts/profiles/index.ts';
import { walletHandlers } from '../features/agent-wallets/index.ts';
import { cardHandlers, saidCard } from '../features/agents/cards/index.ts';
import { agentHandlers, agentsOfAccount } from '../features/agents/index.ts';
import { bountyHandlers } from '../features/bounties/index.ts';
import { savedSearchHandlers } from '../features/discovery/saved-searches/index.ts';
import { searchHandlers } from '../features/discovery/search/index.ts';
import { statsHandlers } from '../features/discovery/stats/index.ts';
import { earnHandlers } from '../features/earn/index.ts';
import { eventHandlers } from '../features/events/index.ts';
import { moderationHandlers } from '../features/moderation/index.ts';
import { moneyHandlers } from '../features/money/index.ts';
import { notificationHandlers } from '../features/notifications/index.ts';
import { onchainFeedbackHandlers } from '../features/onchain/feedback/index.ts';
import { onchainIdentityHandlers } from '../features/onchain/identity/index.ts';
import { disputeHandlers, orderDisputeHandlers } from '../features/orders/disputes/index.ts';
import { orderHandlers } from '../features/orders/index.ts';
import { messageHandlers } from '../features/orders/messages/index.ts';
import { portfolioHandlers, trackRecord } from '../features/orders/portfolio/index.ts';
import { latestReviews, reviewHandlers } from '../features/orders/reviews/index.ts';
import { workspaceHandlers } from '../features/orders/workspaces/index.ts';
import { paymentHandlers } from '../features/payments/index.ts';
import { sandboxHandlers } from '../features/sandbox/index.ts';
import { offeredServices, serviceHandlers } from '../features/services/index.ts';
import { spendingHandlers } from '../features/spending/index.ts';
import { feeHandlers, readdressClaims } from '../features/tokens/fees/index.ts';
import { tokenHandlers } from '../features/tokens/index.ts';
import { launchHandlers, mintIdentity } from '../features/tokens/launches/index.ts';
import { swapHandlers } from '../features/tokens/swap/index.ts';
import { uploadHandlers } from '../features/uploads/index.ts';
import { webhookHandlers } from '../features/webhooks/index.ts';
import { placeByPayment, registerByPayment, x402Handlers } from '../features/x402/index.ts';
import type { Parts } from './open-parts.ts';

export function createHandlers(parts: Parts): Handlers {
  const { shared, identity, actionMessages, resolver, reach, uploads, orders, workspaces, x402, webhookAgents, feeds, addresses } = parts;
  const { db } = shared.database;
  return {
    agents: agentHandlers({
      ...shared,
      outbound: reach,
      agentByKey: resolver.agentByKey,
      files: parts.files,
      actionMessages,
      adoptAgent,
      ensureUser,
      readdressClaims,
      async shownOf(agentId) {
        const [services, reviews, { portfolio, recentOrders }] = await Promise.all([
          offeredServices(db, agentId),
          latestReviews.ofAgent(orders, agentId),
          trackRecord(orders, agentId),
        ]);
        return {
          services: services.first,
          reviews: reviews.first,
          portfolio: portfolio.first,
          recentOrders,
          paging: { services: services.rest, reviews: reviews.rest, portfolio: portfolio.rest },
        };
      },
    }),
    tokens: { ...tokenHandlers(parts.tokens), ...launchHandlers(parts.launches) },
    onchainIdentity: onchainIdentityHandlers(parts.onchainIdentity),
    onchainFeedback: onchainFeedbackHandlers(parts.onchainFeedback),
    said: { mint: mintIdentity(parts.launches), card: saidCard(parts.cards) },
    services: serviceHandlers({ ...shared, reviewsOf: (serviceId) => latestReviews.ofService(orders, serviceId) }),
    search: searchHandlers(orders),
    savedSearches: savedSearchHandlers({ ...shared, appUrl: addresses.appUrl }),
    auth: identityHandlers({ ...shared, files: parts.files, agents: agentsOfAccount, actionMessages, exchangeCode: identity.exchangeCode }),
    connections: connectionHandlers(parts.connections),
    profiles: profileHandlers({ ...shared, files: parts.files }),
    payments: paymentHandlers(orders),
    money: moneyHandlers({ ...shared, explorerUrl: orders.explorerUrl }),
    wallets: walletHandlers(parts.agentWallets),
    moves: moveHandlers(shared),
    account: closingHandlers(shared),
    uploads: uploadHandlers(uploads),
    orders: { ...orderHandlers(orders), ...orderDisputeHandlers(orders) },
    messages: messageHandlers(orders),
    reviews: reviewHandlers(orders),
    notifications: notificationHandlers(shared),
    events: eventHandlers(feeds),
    portfolio: portfolioHandlers(orders),
    workspaces: workspaceHandlers(workspaces),
    disputes: disputeHandlers(orders),
    bounties: bountyHandlers(orders, addresses),
    fees: feeHandlers(parts.fees),
    swap: swapHandlers({ ...shared, swapVenue: parts.swapVenue, readLanding: parts.readLanding }),
    earn: earnHandlers(parts.earn),
    spending: spendingHandlers(parts.spending),
    moderation: moderationHandlers(shared),
    webhooks: webhookHandlers({ ...shared, agents: webhookAgents }),
    x402: x402Handlers(x402),
    stats: statsHandlers({ ...orders, prices: parts.tokens.prices }),
    cards: cardHandlers(parts.cards),
    // Production has no sandbox routes, so these handlers are never reached there.
    sandbox: identity.sandbox === undefined ? ({} as HandlersOf<'sandbox'>) : sandboxHandlers(identity.sandbox),
  };
}

/** The second handler of each operation that also accepts x402 payments. The definition says when it answers. */
export function createPaidHandlers({ x402 }: Parts): PaidHandlers {
  return { 'orders.place': placeByPayment(x402), 'agents.register': registerByPayment(x402) };
}
