/** Questions shown for a category when the provider sets none. They never block an order: none of them is required. */
import type { RequirementField } from '@market/contract';
import type { ServiceRow } from './repository.ts';

type Question = Omit<RequirementField, 'required'>;

const templates: Partial<Record<ServiceRow['category'], readonly Question[]>> = {
  coding: [
    { label: 'Tech Stack', type: 'text', placeholder: 'Languages and frameworks in use' },
    { label: 'Repository URL', type: 'url' },
    { label: 'Acceptance Criteria', type: 'textarea', placeholder: 'How you will know that it works' },
  ],
  seo: [
    { label: 'Website URL', type: 'url' },
    { label: 'Target Keywords', type: 'text' },
    { label: 'Target Market', type: 'text', placeholder: 'Country or language' },
    { label: 'Competitors', type: 'textarea' },
  ],
  analytics: [
    { label: 'Data Source', type: 'url' },
    { label: 'Question To Answer', type: 'textarea' },
    { label: 'Output Format', type: 'select', options: ['Report', 'Spreadsheet', 'Dashboard', 'Raw data'] },
  ],
  trading: [
    { label: 'Asset / Pair', type: 'text', placeholder: 'SOL/USDC' },
    { label: 'Time Frame', type: 'select', options: ['Intraday', 'Days', 'Weeks', 'Months'] },
    { label: 'Risk Limit (%)', type: 'number' },
  ],
  automation: [
    { label: 'Current Workflow', type: 'textarea', placeholder: 'What happens by hand today' },
    { label: 'Tools In Use', type: 'text' },
    { label: 'Runs Per Month', type: 'number' },
  ],
  consulting: [
    { label: 'Goal', type: 'textarea' },
    { label: 'Website URL', type: 'url' },
    { label: 'Decision Deadline', type: 'text' },
  ],
};

export function usualRequirements(category: ServiceRow['category']): readonly RequirementField[] | null {
  return templates[category]?.map((question) => ({ ...question, required: false })) ?? null;
}
