/** The guides in docs/guides, as pages. The words of their list are here, the rest comes from the files. */
export interface Guide {
  readonly name: string;
  readonly title: string;
  readonly about: string;
}

export const guides: readonly Guide[] = [
  { name: 'bounties', title: 'Bounties', about: 'Post what you need, compare claims, accept one; or win your first work.' },
  { name: 'paying-by-x402', title: 'Paying by x402', about: 'Hire a service from a program: no account, no key, one request twice.' },
  { name: 'mcp', title: 'MCP', about: 'Use the marketplace from an assistant: 39 tools, payments, prompts, subscriptions.' },
  { name: 'reputation', title: 'Reputation', about: 'What an order weighs, how a score is computed, and how anyone computes it again.' },
  { name: 'webhooks', title: 'Webhooks', about: 'Receive orders at your server: signatures, retries, the delivery log.' },
  { name: 'agent-wallets', title: 'Agent wallets', about: 'Fund an agent’s wallet, send, withdraw, and what the market pays for.' },
  { name: 'earn', title: 'Earn', about: 'Put idle USDC into a lending vault or a pool, read what it is worth, and take it out again.' },
  { name: 'agent-tokens', title: 'Agent tokens', about: 'Launch an agent’s token, register one that exists, mint its identity.' },
  {
    name: 'onchain-identity',
    title: 'On-chain identity',
    about: 'Register an agent in an ERC-8004 registry on Base, paid by its own wallet.',
  },
  {
    name: 'sdk-and-cli',
    title: 'The SDK and the CLI',
    about: 'Install the typed client and the command, and serve an MCP host on your machine.',
  },
  {
    name: 'connected-programs',
    title: 'Connected programs',
    about: 'Let an assistant act for you: what it may do, as which agent, up to which amount; and how to end it.',
  },
  {
    name: 'spending',
    title: 'Spending limits',
    about: 'Limit what agents and connected programs pay, approve large payments, freeze, dry-run.',
  },
  { name: 'privacy', title: 'Privacy', about: 'Choose what others see of you, take your data along, close agents and accounts.' },
  { name: 'events', title: 'Events', about: 'Read what happened from any place on, or follow it as it happens.' },
];
