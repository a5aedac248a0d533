/** Which page stands at which address. Data only, so that the server can register the addresses without loading React. */

export interface Route {
  /** `:name` takes one segment. The first row that fits wins. */
  readonly path: `/${string}`;
  /** File below `pages/`, which exports `page`. */
  readonly page: `${string}-page`;
  /** `signed-in`: others are asked to sign in first; the server sends the frame, the browser fills it. */
  readonly access: 'public' | 'signed-in';
  /** `console`: full width. */
  readonly layout?: 'console';
  /** Holds a form that only works with scripts; signed-in pages always do. */
  readonly needsScripts?: true;
  /** Query parameters that the page reads. The server ignores all others, so that a page has one address in its memory. */
  readonly reads?: readonly string[];
  /** Always a full page load, because the page is made on the server only. */
  readonly reload?: true;
}

export const routes: readonly Route[] = [
  { path: '/', page: 'home/home-page', access: 'public' },
  {
    path: '/browse',
    page: 'browse/browse-page',
    access: 'public',
    reads: [
      'tab',
      'search',
      'category',
      'price',
      'price_type',
      'delivery',
      'rating',
      'answering',
      'chain',
      'sort',
      'model',
      'compare',
      'page',
    ],
  },
  { path: '/agents/:idOrSlug', page: 'agent/agent-page', access: 'public' },
  { path: '/agents/:agentSlug/:serviceSlug', page: 'service/service-page', access: 'public' },
  { path: '/services/:id', page: 'service/service-by-id-page', access: 'public' },
  {
    path: '/bounties',
    page: 'bounties/board-page',
    access: 'public',
    reads: ['state', 'category', 'min_budget', 'max_budget', 'search', 'sort', 'page'],
  },
  { path: '/bounties/new', page: 'bounties/new-bounty-page', access: 'public', needsScripts: true },
  { path: '/bounties/:id', page: 'bounties/bounty-page', access: 'public' },
  { path: '/u/:username', page: 'profile/profile-page', access: 'public' },
  // Public, because a buyer who hired by paying has the order's token instead of an account.
  { path: '/orders/:id', page: 'order/order-page', access: 'public', needsScripts: true },
  { path: '/orders/:id/workspace', page: 'workspace/workspace-page', access: 'public', needsScripts: true },
  { path: '/orders/:id/dispute', page: 'dispute/dispute-page', access: 'public', needsScripts: true },
  { path: '/orders/:id/receipt', page: 'receipt/receipt-page', access: 'public' },
  { path: '/orders', page: 'orders/orders-page', access: 'signed-in', reads: ['list', 'as', 'state'] },
  { path: '/sell', page: 'sell/queue-page', access: 'signed-in', layout: 'console', reads: ['agent'] },
  { path: '/sell/services', page: 'sell/services-page', access: 'signed-in', layout: 'console', reads: ['agent'] },
  { path: '/sell/services/new', page: 'sell/new-service-page', access: 'signed-in', layout: 'console', reads: ['agent'] },
  { path: '/sell/services/:id', page: 'sell/edit-service-page', access: 'signed-in', layout: 'console', reads: ['agent'] },
  { path: '/sell/earnings', page: 'sell/earnings-page', access: 'signed-in', layout: 'console', reads: ['agent', 'days'] },
  { path: '/sell/wallet', page: 'agent-wallet/agent-wallet-page', access: 'signed-in', layout: 'console', reads: ['agent'] },
  { path: '/sell/token', page: 'agent-token/agent-token-page', access: 'signed-in', layout: 'console', reads: ['agent'] },
  { path: '/sell/earn', page: 'agent-earn/agent-earn-page', access: 'signed-in', layout: 'console', reads: ['agent'] },
  { path: '/sell/profile', page: 'sell/profile-page', access: 'signed-in', layout: 'console', reads: ['agent'] },
  { path: '/admin/disputes', page: 'dispute/disputes-page', access: 'signed-in', layout: 'console', reads: ['state'] },
  { path: '/admin/disputes/:id', page: 'dispute/ruling-page', access: 'signed-in', layout: 'console' },
  { path: '/earn', page: 'earn/earn-page', access: 'public' },
  { path: '/earn/positions', page: 'earn/positions-page', access: 'signed-in' },
  { path: '/earn/:key', page: 'earn/vault-page', access: 'public' },
  { path: '/explorer', page: 'explorer/explorer-page', access: 'public', reads: ['list', 'network', 'kind', 'cursor'] },
  { path: '/notifications', page: 'notifications/notifications-page', access: 'signed-in', reads: ['show'] },
  { path: '/account', page: 'account/account-page', access: 'signed-in' },
  { path: '/account/connections', page: 'account/connections-page', access: 'signed-in' },
  { path: '/oauth/consent/:uid', page: 'consent/consent-page', access: 'signed-in' },
  { path: '/oauth/problem', page: 'consent/problem-page', access: 'public', reads: ['code'] },
  { path: '/build', page: 'build/build-page', access: 'public', layout: 'console' },
  { path: '/build/register', page: 'build/register-page', access: 'public', layout: 'console', needsScripts: true },
  { path: '/build/spending', page: 'spending/spending-page', access: 'signed-in', layout: 'console', reads: ['approval'] },
  { path: '/build/agents/:id', page: 'build/keys-page', access: 'signed-in', layout: 'console' },
  { path: '/build/agents/:id/deliveries', page: 'build/deliveries-page', access: 'signed-in', layout: 'console', reads: ['open', 'state'] },
  { path: '/build/agents/:id/events', page: 'build/events-page', access: 'signed-in', layout: 'console', reads: ['after', 'type'] },
  { path: '/connect', page: 'connect/connect-page', access: 'public' },
  { path: '/docs', page: 'docs/docs-page', access: 'public' },
  { path: '/docs/:guide', page: 'docs/guide-page', access: 'public', reload: true },
  { path: '/sign-in', page: 'sign-in/sign-in-page', access: 'public', needsScripts: true, reads: ['next', 'code', 'error', 'state'] },
  { path: '/hire/:serviceId', page: 'hire/hire-page', access: 'public', needsScripts: true },
  { path: '/wallet', page: 'wallet/wallet-page', access: 'signed-in' },
  { path: '/reference', page: 'reference/reference-page', access: 'public', reload: true },
  { path: '/reference/:noun', page: 'reference/noun-page', access: 'public', reload: true },
];

export const pagePatterns: readonly string[] = routes.map(({ path }) => path);
