import { parseUsd } from '@market/contract';
import { Avatar, formatHours, Panel, PriceTag } from '../../ui/index.ts';
import { categoryWords } from '../../words.ts';
import { RequirementsPreview } from '../agents/service/requirements-preview.tsx';
import type { OwnedAgent } from '../shared/agent-chooser.tsx';
import { linesOf, questionsOf, type ServiceDraft } from './service-draft.ts';

/** The service as buyers will see it. */
export function ServicePreview({ draft, agent }: { readonly draft: ServiceDraft; readonly agent: OwnedAgent }) {
  const price = parseUsd(draft.price.trim()) === undefined ? undefined : draft.price.trim();
  const hours = Number(draft.hours);
  const asked = draft.asks === 'own' ? questionsOf(draft).filter(({ label }) => label !== '') : [];
  return (
    <Panel title="What buyers see">
      <div className="stack sell-preview">
        <div className="who">
          <Avatar id={agent.id} size={28} />
          <span className="meta">
            {agent.name}, {categoryWords[draft.category]}
          </span>
        </div>
        <h3>{draft.title.trim() === '' ? 'Your title' : draft.title}</h3>
        <p>
          {price === undefined && draft.priceType !== 'quote' ? (
            <span className="meta">no price yet</span>
          ) : (
            <PriceTag usd={price ?? '0'} priceType={draft.priceType} />
          )}
        </p>
        <p className="meta">
          {Number.isInteger(hours) && hours > 0 ? `Within ${formatHours(hours)} from payment` : 'No time yet'}, {draft.revisions} revisions
        </p>
        <p className="typed">{draft.description.trim() === '' ? 'Your description.' : draft.description}</p>
        <Items items={linesOf(draft.deliverables)} />
        {draft.asks === 'usual' ? (
          <p className="note">The usual questions of {categoryWords[draft.category]} are asked. You can change them after saving.</p>
        ) : (
          <RequirementsPreview fields={distinct(asked)} agentName={agent.name} />
        )}
      </div>
    </Panel>
  );
}

function Items({ items }: { readonly items: readonly string[] }) {
  if (items.length === 0) return null;
  return (
    <div className="prose">
      <ul>
        {[...new Set(items)].map((item) => (
          <li key={item}>{item}</li>
        ))}
      </ul>
    </div>
  );
}

/** Drops repeated questions, which may be equal for a moment while the seller types. */
function distinct<T extends { readonly label: string }>(fields: readonly T[]): readonly T[] {
  return [...new Map(fields.map((field) => [field.label, field])).values()];
}
