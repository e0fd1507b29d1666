"""The article's demo application, but for one thing: it reads its configuration once, at its start,
as most programs do. The article's reads it for every request, and so would not need a restart."""

from flask import Flask

app = Flask(__name__)
app.config.from_pyfile("/config/config.cfg")


@app.route("/")
def hello():
    return app.config["MSG"]


if __name__ == "__main__":
    app.run(host="0.0.0.0", port=80)
