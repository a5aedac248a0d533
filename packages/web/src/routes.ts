/** The routes of the site. Data only, so that the server can register them without loading React. */

export interface Route {
  /** `:name` matches one segment. The first matching row wins. */
  readonly path: `/${string}`;
  /** File below `pages/`, which exports `page`. */
  readonly page: `${string}-page`;
  /** `signed-in`: other visitors must sign in first; the server sends the frame, the browser fills it. */
  readonly access: 'public' | 'signed-in';
  /** `console` uses the full width. */
  readonly layout?: 'console';
  /** The page has a form that needs scripts; signed-in pages always need them. */
  readonly needsScripts?: true;
  /** Query parameters that the page reads. The server drops all others, so that it keeps only one copy of a page. */
  readonly reads?: readonly string[];
  /** Always a full page load, because only the server renders the page. */
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
  { path: '/agents/:idOrSlug', page: 'agents/agent-page', access: 'public' },
  { path: '/agents/:agentSlug/:serviceSlug', page: 'agents/service/service-page', access: 'public' },
  { path: '/services/:id', page: 'services/service-by-id-page', access: 'public' },
  {
    path: '/bounties',
    page: 'bounties/board-page',
    access: 'public',
    reads: ['state', 'category', 'min_budget', 'max_budget', 'search', 'sort', 'page'],
  },
  { path: '/bounties/new', page: 'bounties/new-bounty-page', access: 'public', needsScripts: true },
  { path: '/bounties/:id', page: 'bounties/bounty-page', access: 'public' },
  { path: '/u/:username', page: 'u/profile-page', access: 'public' },
  // Public, because a buyer who hired by paying has the order's token instead of an account.
  { path: '/orders/:id', page: 'orders/order/order-page', access: 'public', needsScripts: true },
  { path: '/orders/:id/workspace', page: 'orders/workspace/workspace-page', access: 'public', needsScripts: true },
  { path: '/orders/:id/dispute', page: 'orders/dispute/dispute-page', access: 'public', needsScripts: true },
  { path: '/orders/:id/receipt', page: 'orders/receipt/receipt-page', access: 'public' },
  { path: '/orders', page: 'orders/orders-page', access: 'signed-in', reads: ['list', 'as', 'state'] },
  { path: '/sell', page: 'sell/queue-page', access: 'signed-in', layout: 'console', reads: ['agent'] },
  { path: '/sell/services', page: 'sell/services-page', access: 'signed-in', layout: 'console', reads: ['agent'] },
  { path: '/sell/services/new', page: 'sell/new-service-page', access: 'signed-in', layout: 'console', reads: ['agent'] },
  { path: '/sell/services/:id', page: 'sell/edit-service-page', access: 'signed-in', layout: 'console', reads: ['agent'] },
  { path: '/sell/earnings', page: 'sell/earnings-page', access: 'signed-in', layout: 'console', reads: ['agent', 'days'] },
  { path: '/sell/wallet', page: 'sell/wallet/agent-wallet-page', access: 'signed-in', layout: 'console', reads: ['agent'] },
  { path: '/sell/token', page: 'sell/token/agent-token-page', access: 'signed-in', layout: 'console', reads: ['agent'] },
  { path: '/sell/earn', page: 'sell/earn/agent-earn-page', access: 'signed-in', layout: 'console', reads: ['agent'] },
  { path: '/sell/profile', page: 'sell/profile-page', access: 'signed-in', layout: 'console', reads: ['agent'] },
  { path: '/admin/disputes', page: 'admin/disputes/disputes-page', access: 'signed-in', layout: 'console', reads: ['state'] },
  { path: '/admin/disputes/:id', page: 'admin/disputes/ruling-page', access: 'signed-in', layout: 'console' },
  { path: '/earn', page: 'earn/earn-page', access: 'public' },
  { path: '/earn/positions', page: 'earn/positions-page', access: 'signed-in' },
  { path: '/earn/:key', page: 'earn/vault-page', access: 'public' },
  { path: '/explorer', page: 'explorer/explorer-page', access: 'public', reads: ['list', 'network', 'kind', 'cursor'] },
  { path: '/notifications', page: 'notifications/notifications-page', access: 'signed-in', reads: ['show'] },
  { path: '/account', page: 'account/account-page', access: 'signed-in' },
  { path: '/account/connections', page: 'account/connections-page', access: 'signed-in' },
  { path: '/oauth/consent/:uid', page: 'oauth/consent-page', access: 'signed-in' },
  { path: '/oauth/problem', page: 'oauth/problem-page', access: 'public', reads: ['code'] },
  { path: '/build', page: 'build/build-page', access: 'public', layout: 'console' },
  { path: '/build/register', page: 'build/register-page', access: 'public', layout: 'console', needsScripts: true },
  { path: '/build/spending', page: 'build/spending/spending-page', access: 'signed-in', layout: 'console', reads: ['approval'] },
  { path: '/build/agents/:id', page: 'build/agents/keys-page', access: 'signed-in', layout: 'console' },
  {
    path: '/build/agents/:id/deliveries',
    page: 'build/agents/deliveries-page',
    access: 'signed-in',
    layout: 'console',
    reads: ['open', 'state'],
  },
  { path: '/build/agents/:id/events', page: 'build/agents/events-page', access: 'signed-in', layout: 'console', reads: ['after', 'type'] },
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
