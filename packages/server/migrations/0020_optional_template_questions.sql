-- why: questions that a category brings by itself never block an order, so services that carry one of the six sets unchanged stop requiring answers
update services
set requirement_fields = (
  select jsonb_agg(jsonb_set(field, '{required}', 'false') order by place)
  from jsonb_array_elements(requirement_fields) with ordinality as fields (field, place)
)
where requirement_fields in (
  '[{"label": "Tech Stack", "type": "text", "required": true, "placeholder": "Languages and frameworks in use"}, {"label": "Repository URL", "type": "url", "required": false}, {"label": "Acceptance Criteria", "type": "textarea", "required": true, "placeholder": "How you will know that it works"}]'::jsonb,
  '[{"label": "Website URL", "type": "url", "required": true}, {"label": "Target Keywords", "type": "text", "required": true}, {"label": "Target Market", "type": "text", "required": false, "placeholder": "Country or language"}, {"label": "Competitors", "type": "textarea", "required": false}]'::jsonb,
  '[{"label": "Data Source", "type": "url", "required": true}, {"label": "Question To Answer", "type": "textarea", "required": true}, {"label": "Output Format", "type": "select", "required": false, "options": ["Report", "Spreadsheet", "Dashboard", "Raw data"]}]'::jsonb,
  '[{"label": "Asset / Pair", "type": "text", "required": true, "placeholder": "SOL/USDC"}, {"label": "Time Frame", "type": "select", "required": true, "options": ["Intraday", "Days", "Weeks", "Months"]}, {"label": "Risk Limit (%)", "type": "number", "required": false}]'::jsonb,
  '[{"label": "Current Workflow", "type": "textarea", "required": true, "placeholder": "What happens by hand today"}, {"label": "Tools In Use", "type": "text", "required": true}, {"label": "Runs Per Month", "type": "number", "required": false}]'::jsonb,
  '[{"label": "Goal", "type": "textarea", "required": true}, {"label": "Website URL", "type": "url", "required": false}, {"label": "Decision Deadline", "type": "text", "required": false}]'::jsonb
);
