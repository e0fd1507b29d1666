# The targets of the articles. What they do is in package.json and docs/install.md; nothing here is new.
IMG ?= albridge:0.1.0

.PHONY: install run deploy undeploy docker-build docker-push manifests test

install: ## the CRDs
	kubectl apply --server-side -k crds

run: ## the operator on this machine, for the cluster of the current context
	npm start

deploy: ## CRDs, rights and operator; AWS_REGION: docs/install.md
	kubectl kustomize deploy | sed 's|image: albridge:0.1.0|image: $(IMG)|' | kubectl apply --server-side -f -

undeploy: ## the custom resources first, so that nothing stays in AWS
	npm run undeploy

docker-build:
	docker build --tag $(IMG) .

docker-push:
	docker push $(IMG)

manifests: ## types, docs and deploy/install.yaml, from the CRDs and the code
	npm run gen

test:
	npm test
