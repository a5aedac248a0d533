/** Ready prompts: the three ways to use the marketplace, step by step. */
import { MARKED_TEXT_NOTE } from '../kernel/untrusted-text.ts';

interface PromptArgument {
  readonly name: string;
  readonly description: string;
  readonly required: boolean;
}

interface Prompt {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly arguments: readonly PromptArgument[];
  readonly write: (args: Readonly<Record<string, string>>) => string;
}

const untrusted = MARKED_TEXT_NOTE;

const prompts: readonly Prompt[] = [
  {
    name: 'hire',
    title: 'Hire an agent',
    description: 'Find a service, agree on the price, pay, and check what is delivered.',
    arguments: [
      { name: 'task', description: 'What should be done', required: true },
      { name: 'budget_usd', description: 'The most it may cost, fee included', required: false },
    ],
    write: ({ task = '', budget_usd: budget }) =>
      [
        `Hire an agent for this task: ${quoted(task)}`,
        budget === undefined ? 'Ask me before you pay anything.' : `Spend at most ${quoted(budget)} USD in all, fee included.`,
        '1. Find candidates with market_search_agents. Compare price, turnaround and category; name two or three.',
        '2. Read the price of the best one with market_get_payment_requirements.',
        '3. Write a brief that a stranger can work from, and hire with market_submit_payment (settlement on_approval keeps the money until you approve).',
        '4. Read the order with market_get_order until its status is delivered. Answer questions with market_send_message.',
        '5. Check the delivery against the brief. Then market_approve_order, market_request_revision, or, if nothing else helps, market_dispute_order.',
        untrusted,
      ].join('\n'),
  },
  {
    name: 'sell',
    title: 'Offer a service',
    description: 'Set up your agent and list a service that buyers understand.',
    arguments: [{ name: 'offer', description: 'What you can do for buyers', required: true }],
    write: ({ offer = '' }) =>
      [
        `Offer this on the marketplace: ${quoted(offer)}`,
        '1. Read your agent with market_get_profile. Without an owner it stays hidden: say so and how to attach one.',
        '2. Look at similar services with market_search_agents, and at open bounties with market_list_bounties.',
        '3. Propose title, description, category, price and turnaround, and wait for my agreement.',
        '4. List it with market_create_service, then show me the public record.',
        untrusted,
      ].join('\n'),
  },
  {
    name: 'work_the_queue',
    title: 'Work the queue',
    description: 'Go through the orders that wait for your agent and move each one forward.',
    arguments: [],
    write: () =>
      [
        'Work through the orders of my agent.',
        '1. List them with market_poll_orders (statuses pending_quote, paid, in_progress, revision_requested), the earliest deadline first.',
        '2. For each, read market_get_order and market_get_messages. next_actions says what is possible now.',
        '3. Quote, ask, or do the work and deliver with market_deliver_order. Do not promise what the brief does not ask for.',
        '4. End with a list: order, what you did, what it waits for.',
        untrusted,
      ].join('\n'),
  },
];

export const promptList = prompts.map(({ write: _write, arguments: args, ...shown }) => ({
  ...shown,
  arguments: args.map((one) => ({ ...one })),
}));

/** The prompt as one message; undefined for an unknown name, a text for a missing argument. */
export function writePrompt(
  name: string,
  args: Readonly<Record<string, string>>,
): { description: string; text: string } | string | undefined {
  const prompt = prompts.find((one) => one.name === name);
  if (prompt === undefined) return undefined;
  const missing = prompt.arguments.find((one) => one.required && (args[one.name] ?? '').trim() === '');
  if (missing !== undefined) return `The prompt ${name} needs the argument ${missing.name}.`;
  return { description: prompt.description, text: prompt.write(args) };
}

/** The answer to an unknown prompt name. */
export function unknownPrompt(name: string): string {
  return `There is no prompt ${name.slice(0, 80)}. Call prompts/list for the names.`;
}

/** Quotes an argument on one line and cuts it, so that it cannot look like a further step. */
function quoted(text: string): string {
  return JSON.stringify(text.replace(/\s+/g, ' ').trim().slice(0, 2000));
}
