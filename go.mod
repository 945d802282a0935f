module github.com/sightline-io/sightline

go 1.26
