/** docs/reference: one page per group of operations, the error catalogue and the limits. */
import {
  type AnswerField,
  credentialGuides,
  describeLimit,
  describeOperation,
  type ErrorReference,
  type FieldReference,
  furtherRateLimits,
  listErrors,
  type OperationReference,
  operationList,
  ownerRateLimits,
  type RateLimit,
  rateLimitTable,
  signatureNotes,
  signatureTierGuides,
} from '@market/contract';
import { authoritySections } from './authority-page.ts';
import type { Generator } from './generator.ts';
import { bullets, join, table } from './markdown.ts';

const FOLDER = 'docs/reference';
/** The address of `npm start`, so that every example runs unchanged. */
const EXAMPLE_BASE_URL = 'http://127.0.0.1:4020';
const NOTICE = '<!-- Generated from packages/contract by `npm run generate`. Do not edit. -->';

export const referenceDocs: Generator = {
  name: 'reference docs',
  ownsFolder: FOLDER,
  async render() {
    const groups = Map.groupBy(operationList, ({ group }) => group);
    const pages = [...groups].map(([group, members]): [string, string] => [
      `${FOLDER}/${group}.md`,
      page(
        capitalise(group),
        members.map((member) => operationSection(describeOperation(member, EXAMPLE_BASE_URL))),
      ),
    ]);
    return {
      ...Object.fromEntries(pages),
      [`${FOLDER}/README.md`]: indexPage([...groups.keys()]),
      [`${FOLDER}/authentication.md`]: authenticationPage(),
      [`${FOLDER}/authority.md`]: page('Who vouches for whom', authoritySections(EXAMPLE_BASE_URL)),
      [`${FOLDER}/errors.md`]: errorsPage(),
      [`${FOLDER}/rate-limits.md`]: rateLimitsPage(),
    };
  },
};

function indexPage(groups: readonly string[]): string {
  const operations = operationList.map((operation) => describeOperation(operation, EXAMPLE_BASE_URL));
  return page('Reference', [
    'Every operation of the service, as the contract defines it. The same list drives `/api/openapi.json`, the SDK and the `market` command.',
    bullets([
      '[Authentication](authentication.md)',
      '[Who vouches for whom](authority.md)',
      '[Errors](errors.md)',
      '[Rate limits](rate-limits.md)',
    ]),
    ...groups.map((group) => {
      const members = operations.filter(({ name }) => name.startsWith(`${group}.`));
      const rows = members.map(({ name, anchor, method, path, summary }) => [
        `[\`${name}\`](${group}.md#${anchor})`,
        `\`${method} ${path}\``,
        summary,
      ]);
      return `## ${capitalise(group)}\n\n${table(['Operation', 'REST', ''], rows)}`;
    }),
  ]);
}

function authenticationPage(): string {
  return page('Authentication', [
    table(
      ['Credential', 'Who', 'What', 'Where'],
      credentialGuides.map(({ title, who, credential, carriers }) => [title, who, credential, carriers.join('; ')]),
    ),
    '## Texts a wallet signs',
    table(
      ['Tier', 'Text', 'Rule'],
      signatureTierGuides.map(({ title, text, rule }) => [title, `\`${text}\``, rule]),
    ),
    bullets(signatureNotes),
  ]);
}

function errorsPage(): string {
  return page('Errors', [
    'A refused call answers `{ "success": false, "error", "code", "request_id" }` with the status below. `code` never changes; the sentence may be more specific than the one shown here.',
    errorTable(listErrors()),
  ]);
}

const isOfOwners = (limit: RateLimit): boolean => Object.values<RateLimit>(ownerRateLimits).includes(limit);

function rateLimitsPage(): string {
  const tableEndpoints = Object.values(rateLimitTable).flatMap<string>(({ endpoints }) => endpoints);
  const further = operationList.flatMap(({ spec: { rest, limit, agentLimit } }) => {
    const endpoint = `${rest.method} ${rest.path}`;
    if (agentLimit !== undefined)
      return [
        [
          `\`${endpoint}\``,
          [
            `${describeLimit(agentLimit)} and ${isOfOwners(agentLimit) ? 'owner of the position' : 'agent'}`,
            ...(limit === undefined ? [] : [`${describeLimit(limit)} and client address`]),
          ].join('; '),
        ],
      ];
    return limit === undefined || tableEndpoints.includes(endpoint) ? [] : [[`\`${endpoint}\``, describeLimit(limit)]];
  });
  return page('Rate limits', [
    'Counted per client address and endpoint, in a window that opens with the first request. Each endpoint of a row has its own counter. Refused calls count, too. In the sandbox `POST /sandbox/clock` ends a window early.',
    table(
      ['Endpoint', 'Limit'],
      Object.values(rateLimitTable).map((row) => [row.endpoints.map((endpoint) => `\`${endpoint}\``).join(', '), describeLimit(row)]),
    ),
    '## Further limits',
    table(['Endpoint', 'Limit'], further),
    'Limits per agent or owner count calls from all addresses; the export of keys counts each kind of wallet by itself. Pages of the site have a limit of their own (`PAGES_PER_MINUTE`).',
    '## Idempotency-Key',
    bullets([
      'A change with the header `Idempotency-Key` is made once: the same request under the same key gets the first answer again for 24 hours. So repeat a request that got no answer under its key.',
      'A key is 1 to 255 visible ASCII characters. Use a random UUID: a key that can be guessed repeats no secrets.',
      'A key belongs to its caller and endpoint. The same key with other arguments is 422 `idempotency_key_reused`; while the first request runs, it is 409 `idempotency_in_flight`.',
      'A refusal frees its key: correct the request and send it again. Where a refusal is kept, its description says so.',
      `Calls with a key to endpoints without a limit here: ${describeLimit(furtherRateLimits.keyedCalls)} in all. Beyond that, 429 \`too_many_requests\`.`,
    ]),
    '## Pages of lists',
    'Lists take `limit`; a larger value than the reference names counts as the largest. `cursor` takes the `next_cursor` of the page before; `offset` reaches at most 1,000,000. A cursor of another list is 400 `invalid_cursor`.',
    '## Headers',
    'Every answer of a limited endpoint carries `X-RateLimit-Limit`, `X-RateLimit-Remaining` and `X-RateLimit-Reset` (Unix seconds). A 429 adds `Retry-After` (seconds).',
  ]);
}

function operationSection(operation: OperationReference): string {
  const { name, anchor, method, path, selector, summary, description, access, limit, mcpTool, sandboxOnly } = operation;
  const facts = [
    ...(sandboxOnly ? ['Sandbox only: production answers 404.'] : []),
    `Access: ${access}`,
    ...(limit === undefined ? [] : [`Limit: ${limit} and client address.`]),
    ...(mcpTool === undefined ? [] : [`MCP tool: \`${mcpTool}\``]),
  ];
  return join([
    `<a id="${anchor}"></a>\n\n## ${name}`,
    `${summary}.${description === undefined ? '' : ` ${description}`}`,
    `\`${method} ${path}\`${selector === undefined ? '' : ` with \`${selector.field}: "${selector.value}"\` in the body`}`,
    bullets(facts),
    ...(operation.fields.length === 0 ? [] : ['### Input', inputTable(operation.fields)]),
    '### Answer',
    `Status ${operation.status}.`,
    answerTable(operation.answer),
    '### Errors',
    ...(operation.errors.own.length === 0 ? [] : [errorTable(operation.errors.own)]),
    `${operation.errors.own.length === 0 ? 'As' : 'Also, as'} for every call of its kind: ${operation.errors.implied.map(({ code }) => `\`${code}\``).join(', ')} ([errors](errors.md)).`,
    ...operation.examples.map((example) =>
      join([`### Example: ${example.title}`, `\`\`\`sh\n${example.curl}\n\`\`\``, `\`\`\`json\n${example.answer}\n\`\`\``]),
    ),
  ]);
}

function inputTable(fields: readonly FieldReference[]): string {
  const rows = fields.map((field) => [
    `\`${field.name}\``,
    field.in,
    field.type,
    field.required ? 'required' : field.default === undefined ? 'optional' : `default \`${JSON.stringify(field.default)}\``,
    field.description,
  ]);
  return table(['Field', 'In', 'Type', '', ''], rows);
}

function answerTable(fields: readonly AnswerField[]): string {
  const rows = fields.map(({ path, type, optional, description }) => [
    `\`${path}\``,
    `${type}${optional ? ', may be absent' : ''}`,
    description,
  ]);
  return table(['Field', 'Type', ''], rows);
}

function errorTable(errors: readonly ErrorReference[]): string {
  return table(
    ['Status', 'Code', 'Meaning'],
    errors.map(({ status, code, message }) => [String(status), `\`${code}\``, message]),
  );
}

function page(title: string, sections: readonly string[]): string {
  return `${join([NOTICE, `# ${title}`, ...sections])}\n`;
}

function capitalise(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}
