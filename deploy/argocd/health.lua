-- Health of an object of albridge in Argo CD: https://argo-cd.readthedocs.io/en/stable/operator-manual/health/
-- `npm run gen` copies it into argocd-cm.yaml for each kind.
local conditions = {}
local status = obj.status or {}
for _, condition in ipairs(status.conditions or {}) do
  conditions[condition.type] = condition
end

local function is(type)
  return conditions[type] ~= nil and conditions[type].status == "True"
end

local function answer(health, type)
  local condition = conditions[type] or {}
  local text = condition.message or ""
  if condition.reason ~= nil then text = condition.reason .. ": " .. text end
  return { status = health, message = text }
end

if obj.metadata.deletionTimestamp ~= nil then
  return answer("Progressing", "Ready")
end
-- The status speaks for an earlier spec; a new object has -1.
if (status.observedGeneration or -1) < (obj.metadata.generation or 0) then
  return { status = "Progressing", message = "albridge has not reconciled this generation yet" }
end
if is("Stalled") then
  return answer("Degraded", "Stalled")
end
-- A person has stopped it: docs/reasons.md.
local stopped = { Paused = true, Suspended = true, Planned = true, ObserveMode = true }
local ready = conditions["Ready"]
if ready ~= nil and stopped[ready.reason] then
  return answer("Suspended", "Ready")
end
if is("Reconciling") then
  return answer("Progressing", "Reconciling")
end
if is("Ready") then
  return answer("Healthy", "Ready")
end
return answer("Progressing", "Ready")
